import { Link, type LinkProps } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

interface TabsProps {
  readonly label: string
  readonly tabs: readonly { readonly to: NonNullable<LinkProps['to']>; readonly label: string }[]
}

/** Parts of one subject, each with an address of its own: links, not a widget. */
export function Tabs({ label, tabs }: TabsProps) {
  const bar = useRef<HTMLElement>(null)
  // On a phone they scroll sideways, and the open one may be out of sight.
  useEffect(() => bar.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' }), [])
  return (
    <nav ref={bar} aria-label={label} className="mb-6 overflow-x-auto border-b border-line">
      <ul className="flex gap-5">
        {tabs.map(tab => (
          <li key={tab.to}>
            <Link
              to={tab.to}
              activeOptions={{ exact: true, includeSearch: false }}
              className="-mb-px block border-b-2 border-transparent py-2 whitespace-nowrap text-soft hover:text-ink focus-visible:-outline-offset-2 aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
            >
              {tab.label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
