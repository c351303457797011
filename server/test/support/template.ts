// The database that test files copy: migrated once in a run, instead of once for each of them.

import { randomBytes } from 'node:crypto'
import { connect } from '../../src/store/database.ts'
import { migrate, readMigrations } from '../../src/store/migrate.ts'

/** Does the work with the template's name. Nobody is connected to it by then: PostgreSQL copies no database in use. */
export async function withTemplate<Result>(url: string, work: (template: string) => Promise<Result>): Promise<Result> {
  const template = `tillbell_template_${randomBytes(8).toString('hex')}`
  const admin = connect({ address: url, connectionsMax: 1, name: 'test' })
  await admin`create database ${admin(template)} template template1`
  try {
    await migrateAt(url, template)
    return await work(template)
  } finally {
    await admin`drop database ${admin(template)} with (force)`
    await admin.end()
  }
}

async function migrateAt(url: string, template: string): Promise<void> {
  const address = new URL(url)
  address.pathname = `/${template}`
  const sql = connect({ address: address.href, connectionsMax: 2, name: 'test' })
  try {
    await migrate(sql, await readMigrations())
  } finally {
    await sql.end()
  }
}
