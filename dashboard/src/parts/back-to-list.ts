// The way back from a page to the list that led to it: with the list's filters, and on the page of it where one was. It is
// remembered beside the address, in the browser's history.

import { useRouterState } from '@tanstack/react-router'

export interface List {
  readonly path: string
  readonly search: { readonly [name: string]: unknown }
  readonly trail: readonly string[]
}

declare module '@tanstack/history' {
  interface HistoryState {
    /** Where a row was that led here. */
    list?: List
  }
}

/** The list that is shown now. */
export function useList(): List {
  const { pathname, search, state } = useRouterState({ select: ({ location }) => location })
  return { path: pathname, search, trail: state.trail ?? [] }
}

/** For the link to a list at `path`: nothing where another list led here, or none. */
export function useWayBack(path: string | undefined): { readonly search?: never; readonly state?: object } {
  const list = useRouterState({ select: ({ location }) => location.state.list })
  if (list === undefined || list.path !== path) return {}
  return { search: list.search as never, state: { trail: list.trail } }
}
