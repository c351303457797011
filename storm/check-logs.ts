// What the processes said of errors. The weather explains most of them.

import { isConnectionLoss } from '../server/src/store/database.ts'

/** Errors that no fault explains: a database, a line or a relay that is away is said to be so. */
export function logFindings(logged: readonly string[]): string[] {
  const times = new Map<string, { count: number; line: string }>()
  for (const line of logged) {
    const { msg, err } = parsed(line)
    if (err === undefined || isConnectionLoss(err)) continue
    const name = `${msg}: ${err.message}`
    times.set(name, { count: (times.get(name)?.count ?? 0) + 1, line })
  }
  return [...times].map(([name, { count, line }]) => `logged ${count} times: ${name} (${line})`)
}

interface Logged {
  readonly msg?: string
  readonly err?: { readonly message?: string; readonly code?: string }
}

function parsed(line: string): Logged {
  try {
    return JSON.parse(line)
  } catch {
    return {}
  }
}
