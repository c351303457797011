// What a page asks the console to show: waiting, failed, or there. Kept and shared by path and query.

import { keepPreviousData, QueryClient, type QueryKey, useQuery } from '@tanstack/react-query'
import type { Me } from '../../../server/src/console/contract/me.ts'
import { type Answered, ask, keepMe, type Query, type Refused } from './ask.ts'

export type Shown<Body> =
  | { readonly state: 'waiting' }
  | { readonly state: 'failed'; readonly refused: Refused; readonly again: () => void }
  | {
      readonly state: 'there'
      readonly body: Body
      readonly next: string | null
      /** What is shown is of the filters before: the new answer is on its way. */
      readonly isOld: boolean
      /** What is shown could not be asked anew, though it was tried. */
      readonly outdated: Outdated | null
    }

export interface Outdated {
  readonly refused: Refused
  /** When the service last answered. */
  readonly since: Date
  readonly again: () => void
}

export interface AskedOptions {
  readonly query?: Query
  /** Asked anew so often, while the page is looked at. */
  readonly everyMs?: number | false
  /** Not asked yet: what it depends on is not known. */
  readonly isOff?: boolean
}

/** `useAsked<{ offer: Offer }>('rest/offers/' + id)` */
export function useAsked<Body>(path: string, options: AskedOptions = {}): Shown<Body> {
  const { query = {}, everyMs = false, isOff = false } = options
  const result = useQuery<Answered<Body>, Refused>({
    queryKey: [path, query],
    queryFn: ({ signal }) => answerOrThrow<Body>(path, query, signal),
    placeholderData: (before, beforeQuery) =>
      beforeQuery?.queryKey[0] === path ? keepPreviousData(before) : undefined,
    refetchInterval: everyMs,
    enabled: !isOff,
  })
  const again = () => void result.refetch()
  if (result.data !== undefined) {
    const { body, next } = result.data
    const { error: refused, isPlaceholderData: isOld, dataUpdatedAt } = result
    const outdated = refused === null ? null : { refused, since: new Date(dataUpdatedAt), again }
    return { state: 'there', body, next, isOld, outdated }
  }
  if (result.error === null) return { state: 'waiting' }
  return { state: 'failed', refused: result.error, again }
}

/** The one place where a refusal is thrown: TanStack Query knows a failure by that. */
async function answerOrThrow<Body>(path: string, query: Query, signal: AbortSignal): Promise<Answered<Body>> {
  const asked = await ask<Body>(path, { query, signal })
  if (!asked.ok) throw asked
  return asked
}

/** As though it had been asked: what something else was answered with. */
function keepAnswer(client: QueryClient, path: string, body: unknown): void {
  client.setQueryData([path, {}], { ok: true, status: 200, body, next: null })
}

/** Who is signed in now, learnt by other ways than the shell's. False: the shell leaves the page, which is another's. */
export function nowIs(client: QueryClient, me: Me): boolean {
  keepAnswer(client, 'me', { me })
  return keepMe(me)
}

const passingStatuses = [0, 502, 503, 504]
const retriesMax = 2

export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (failures, error) =>
          failures < retriesMax && passingStatuses.includes((error as unknown as Refused).status),
        // A browser's own word on whether it is online is often wrong, and never right about a service on this machine.
        networkMode: 'always',
      },
    },
  })
}

/** Paths, each with all below it. */
export type Paths = readonly string[] | 'everything'

export function isBelow(queryKey: QueryKey, paths: Paths): boolean {
  if (paths === 'everything') return true
  const asked = String(queryKey[0])
  return paths.some(path => asked === path || asked.startsWith(`${path}/`))
}
