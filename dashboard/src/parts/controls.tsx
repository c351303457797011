// The controls of forms. Inside a Field they have its label, hint and error.

import type { InputHTMLAttributes, ReactNode, SelectHTMLAttributes, TextareaHTMLAttributes } from 'react'
import { useId } from 'react'
import { classes } from './classes.ts'
import { useField } from './field.tsx'

/** Of a field that shows and cannot be changed. A select is always `:read-only`. */
const fixed = 'read-only:bg-sunken'

const box = classes(
  'block w-full min-w-0 rounded-md border border-edge bg-surface text-ink placeholder:text-soft',
  'focus-visible:outline-offset-0 disabled:bg-sunken disabled:text-soft aria-invalid:border-bad',
)

type Input = InputHTMLAttributes<HTMLInputElement> & { readonly mono?: boolean }

export function TextInput({ className, mono = false, ...rest }: Input) {
  return (
    <input
      type="text"
      {...useField()}
      className={classes(box, fixed, 'h-9 px-3', mono && 'font-mono', className)}
      {...rest}
    />
  )
}

type Area = TextareaHTMLAttributes<HTMLTextAreaElement> & { readonly mono?: boolean }

export function TextArea({ className, mono = false, ...rest }: Area) {
  return (
    <textarea
      rows={4}
      {...useField()}
      className={classes(box, fixed, 'px-3 py-2', mono && 'font-mono', className)}
      {...rest}
    />
  )
}

/** The browser's own: it knows phones, keyboards and screen readers better than any of ours would. */
export function Select({ className, children, ...rest }: SelectHTMLAttributes<HTMLSelectElement>) {
  return (
    <select {...useField()} className={classes(box, 'h-9 pr-8 pl-2.5', className)} {...rest}>
      {children}
    </select>
  )
}

interface CheckProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly label: ReactNode
  readonly hint?: ReactNode
}

export function Checkbox(props: CheckProps) {
  return <Check type="checkbox" {...props} />
}

/** Several of one `name` inside a `<Choices>`. */
export function Radio(props: CheckProps) {
  return <Check type="radio" {...props} />
}

function Check({ label, hint, type, className, ...rest }: CheckProps) {
  const id = useId()
  return (
    <div className={classes('flex gap-2.5', className)}>
      <input
        id={id}
        type={type}
        className="mt-0.5 size-4 shrink-0 accent-button"
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        {...rest}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-[0.8125rem] text-soft">
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}

/** Radios or checkboxes that answer one question. */
export function Choices({ legend, children }: { readonly legend: ReactNode; readonly children: ReactNode }) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium">{legend}</legend>
      <div className="space-y-2">{children}</div>
    </fieldset>
  )
}
