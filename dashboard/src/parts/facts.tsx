import type { ReactNode } from 'react'

/** What is known of one thing, name by name. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className="divide-y divide-line">{children}</dl>
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="gap-4 py-2 sm:grid sm:grid-cols-[11rem_1fr]">
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  )
}
