import { Link, type LinkProps } from '@tanstack/react-router'
import type { ButtonHTMLAttributes, MouseEvent, ReactNode } from 'react'
import { classes } from './classes.ts'
import { Spinner } from './spinner.tsx'

/** primary: what the page is for, one of a kind. danger: cannot be undone. quiet: beside something else. */
export type ButtonKind = 'primary' | 'plain' | 'danger' | 'quiet'

const kinds: { readonly [kind in ButtonKind]: string } = {
  primary: 'bg-button text-on-button shadow-card hover:not-disabled:bg-button-hover',
  plain: 'border border-edge/60 bg-surface text-ink shadow-card hover:not-disabled:bg-hover',
  danger: 'bg-danger text-on-button shadow-card hover:not-disabled:bg-danger-hover',
  quiet: 'text-soft hover:not-disabled:bg-hover hover:not-disabled:text-ink',
}

export function buttonClasses(kind: ButtonKind = 'plain', isSmall = false): string {
  return classes(
    'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap no-underline',
    'disabled:opacity-60 aria-disabled:opacity-60',
    isSmall ? 'min-h-7 px-2 text-[0.8125rem]' : 'min-h-9 px-3.5',
    kinds[kind],
  )
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: ButtonKind
  readonly small?: boolean
  /** What it does is being done: it shows so, and cannot be pressed again. */
  readonly pending?: boolean
  readonly icon?: ReactNode
}

export function Button({ kind, small, pending = false, icon, children, className, type, ...rest }: ButtonProps) {
  const { onClick, ...attributes } = rest
  // Not disabled while it runs: the focus would be lost. What it was pressed for, it does not do again.
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (pending) event.preventDefault()
    else onClick?.(event)
  }
  return (
    <button
      type={type ?? 'button'}
      className={classes(buttonClasses(kind, small), className)}
      aria-busy={pending || undefined}
      aria-disabled={pending || undefined}
      onClick={press}
      {...attributes}
    >
      {pending ? <Spinner /> : icon}
      {children}
    </button>
  )
}

type ButtonLinkProps = LinkProps & { readonly kind?: ButtonKind; readonly small?: boolean; readonly icon?: ReactNode }

/** Looks like a button, and leads somewhere. */
export function ButtonLink({ kind, small, icon, children, ...link }: ButtonLinkProps) {
  return (
    <Link {...link} className={buttonClasses(kind, small)}>
      {icon}
      {children as ReactNode}
    </Link>
  )
}
