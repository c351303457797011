// Something a person does that changes something: one at a time, and what was refused is there to be shown.

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Asked, Refused } from './ask.ts'
import { isBelow, type Paths } from './use-asked.ts'

export interface Change<Arguments extends readonly unknown[], Body> {
  readonly run: (...given: Arguments) => Promise<Asked<Body>>
  readonly isRunning: boolean
  /** Of the last run; null: it was not refused. */
  readonly refused: Refused | null
  readonly clear: () => void
}

/**
 * `const refund = useChange((amount: string) => ask('rest/transactions/refunds', { method: 'POST', json: { … }, key }), ['rest/transactions'])`
 *
 * `stale`: what has to be asked anew once it is done.
 */
export function useChange<Arguments extends readonly unknown[], Body>(
  change: (...given: Arguments) => Promise<Asked<Body>>,
  stale: Paths = [],
): Change<Arguments, Body> {
  const client = useQueryClient()
  const [isRunning, setRunning] = useState(false)
  const [refused, setRefused] = useState<Refused | null>(null)
  const run = async (...given: Arguments) => {
    setRunning(true)
    setRefused(null)
    try {
      const asked = await change(...given)
      setRefused(asked.ok ? null : asked)
      // Also where it was refused: what is shown may be what has changed meanwhile.
      // 403: the session or the role may be another by now.
      const alsoStale = asked.status === 403 ? ['me'] : []
      void client.invalidateQueries({
        predicate: ({ queryKey }) => isBelow(queryKey, stale) || isBelow(queryKey, alsoStale),
      })
      return asked
    } finally {
      setRunning(false)
    }
  }
  return { run, isRunning, refused, clear: () => setRefused(null) }
}
