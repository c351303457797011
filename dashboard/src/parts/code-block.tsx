import { CopyButton } from './copy.tsx'

interface CodeBlockProps {
  /** What it is, also on the button that copies it. */
  readonly label: string
  readonly text: string
  /** Breaks long lines: for what is read rather than copied. */
  readonly wrap?: boolean
}

/** Scrolls in a box of its own, by the keyboard as well. */
export function CodeBlock({ label, text, wrap = false }: CodeBlockProps) {
  return (
    <div className="min-w-0 overflow-hidden rounded-md border border-line bg-sunken">
      <div className="flex items-center justify-between gap-2 border-b border-line py-1 pr-1 pl-3 text-xs text-soft">
        {label}
        <CopyButton text={text} what={label} />
      </div>
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        className="max-h-96 overflow-auto focus-visible:-outline-offset-2"
      >
        <pre
          className={`min-w-full px-3 py-2.5 font-mono text-[0.8125rem] ${wrap ? 'whitespace-pre-wrap break-all' : 'w-max'}`}
        >
          {text}
        </pre>
      </section>
    </div>
  )
}

/** An id, a secret, an address: in one line, to be copied. */
export function CodeLine({ what, text }: { readonly what: string; readonly text: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      <code className="min-w-0 truncate font-mono text-[0.8125rem]" title={text}>
        {text}
      </code>
      <CopyButton text={text} what={what} iconOnly />
    </span>
  )
}
