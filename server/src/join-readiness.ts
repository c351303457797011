// Whether this process can work: what /readyz says, and what an operator without it reads in the log.

import type { Foundation } from './foundation.ts'
import type { Logger } from './observe/log.ts'
import { saySparingly } from './observe/say-sparingly.ts'

export type WhyNotReady = () => Promise<string | null>

/** One sentence; null: it can. */
export function readiness({ sql, schemaVersion }: Foundation, log: Logger): WhyNotReady {
  const sparingly = saySparingly()
  const told = (problem: string) => {
    sparingly(problem, () => log.error(problem))
    return problem
  }
  return async () => {
    const asked = sql<{ version: number }[]>`
      select max(number) as version, (select count(*) from (select from merchant limit 1) as any_of_them) from migration`
    const [row] = await asked.start().catch(() => [])
    if (row === undefined) return 'The database does not answer.'
    if (row.version > schemaVersion)
      return told(
        `The database is at version ${row.version} now and this process knows versions up to ${schemaVersion}: a newer Tillbell has migrated it. Stop this process.`,
      )
    if (sql.isFull()) return told('The database takes nothing in: its disk is full. Make room there; nothing is lost.')
    return null
  }
}
