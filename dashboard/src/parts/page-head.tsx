// The head of a page: where it is, its name, what can be done. The name takes the focus when the page is opened, so that
// a screen reader says it and the keyboard begins here.

import { Link, type LinkProps } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { useWayBack } from './back-to-list.ts'
import { Icon } from './icon.tsx'

interface PageHeadProps {
  /** Also the title of the window. */
  readonly title: string
  /** Beside the name: a badge. */
  readonly beside?: ReactNode
  readonly lead?: ReactNode
  readonly actions?: ReactNode
  /** The list that this page is one of. */
  readonly back?: { readonly to: NonNullable<LinkProps['to']>; readonly label: string }
}

let isFirstPage = true

export function PageHead({ title, beside, lead, actions, back }: PageHeadProps) {
  const name = useRef<HTMLHeadingElement>(null)
  const toList = useWayBack(back?.to)
  useEffect(() => {
    // The first page of a visit begins where the browser begins: at the skip link.
    if (!isFirstPage) name.current?.focus({ preventScroll: true })
    isFirstPage = false
  }, [])
  return (
    <header className="mb-6">
      <title>{`${title} · Tillbell`}</title>
      {back !== undefined && (
        <Link to={back.to} {...toList} className="mb-2 -ml-1 inline-flex items-center gap-0.5 text-soft hover:text-ink">
          <Icon name="left" />
          {back.label}
        </Link>
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <div className="mr-auto flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <h1 ref={name} tabIndex={-1} className="min-w-0 text-2xl font-semibold tracking-tight">
            {title}
          </h1>
          {beside}
        </div>
        {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
      {lead !== undefined && <p className="mt-1 max-w-prose text-soft">{lead}</p>}
    </header>
  )
}
