// The filters of a page, which are in its address: a link to it, and the way back, show the same.

import { useNavigate, useSearch } from '@tanstack/react-router'

type Filters<Name extends string> = { readonly [name in Name]: string }
export type SetFilters = (change: { readonly [name: string]: string }) => void

/**
 * `const [filters, set] = useFilters(['q', 'status', 'after'])`. What is not in the address is ''. Setting one leads back to the
 * first page of the list.
 */
export function useFilters<const Name extends string>(names: readonly Name[]): [Filters<Name>, SetFilters] {
  const search: { readonly [name: string]: unknown } = useSearch({ strict: false })
  const navigate = useNavigate()
  const filters = Object.fromEntries(names.map(name => [name, textOf(search[name])])) as Filters<Name>
  const set: SetFilters = change => {
    const next = { ...search, after: '', ...change }
    void navigate({ to: '.', search: next as never, replace: true, resetScroll: false })
  }
  return [filters, set]
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
