// A database of a test file's own, in the PostgreSQL that the test run brought up.

import { randomBytes } from 'node:crypto'
import { connect, type Database } from '../../src/store/database.ts'

export interface TestDatabase {
  readonly url: string
  readonly sql: Database
  drop(): Promise<void>
}

export async function freshDatabase(): Promise<TestDatabase> {
  const base = process.env.TEST_DATABASE_URL
  if (base === undefined) throw new Error('Run the tests with npm test: it brings up their PostgreSQL.')
  const name = `tillbell_test_${randomBytes(8).toString('hex')}`
  const admin = connect({ address: base, connectionsMax: 1, name: 'test' })
  await admin`create database ${admin(name)}`
  const url = new URL(base)
  url.pathname = `/${name}`
  const sql = connect({ address: url.href, connectionsMax: 5, name: 'test' })
  return {
    url: url.href,
    sql,
    async drop() {
      await sql.end()
      await admin`drop database ${admin(name)} with (force)`
      await admin.end()
    },
  }
}
