// What time does to leases, without the wait.

import type { Database } from '../../src/store/database.ts'

export async function expireLeases(sql: Database): Promise<void> {
  await sql`update transaction set lease_until = now() where lease_until is not null`
  await sql`update operation set lease_until = now() where outcome in ('pending', 'unknown')`
}
