// The audit at the end of a test: whatever was done to the service, the database must prove that nothing is owed too often
// or too seldom.

import assert from 'node:assert/strict'
import type { MerchantId } from '../../src/core/ids.ts'
import { type Audit, audit, type Finding } from '../../src/store/audit.ts'
import type { Database } from '../../src/store/database.ts'

/** Holds that everything fits; returns what was looked at. */
export async function audited(sql: Database, only: MerchantId | null = null): Promise<Audit> {
  const result = await audit(sql, only)
  assert.deepEqual(result.findings, [])
  return result
}

export async function findingsOfAudit(sql: Database): Promise<readonly Finding[]> {
  return (await audit(sql)).findings
}
