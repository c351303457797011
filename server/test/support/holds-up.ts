// Whether any statement waits for a lock of this database transaction. Exactly this one: a statement may wait for a moment for
// quite other locks, such as that of a table that grows, and other tests have statements of the same text.

import type { Scope } from '../../src/store/database.ts'

export async function holdsUp(holder: Scope): Promise<boolean> {
  const waiting = await holder`select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`
  return waiting.length > 0
}
