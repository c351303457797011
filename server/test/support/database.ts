// A database of a test file's own, in the PostgreSQL that the test run brought up.

import { randomBytes } from 'node:crypto'
import { connect, type Database } from '../../src/store/database.ts'

export interface TestDatabase {
  readonly url: string
  readonly sql: Database
  drop(): Promise<void>
}

/** One that is migrated already: a copy of what the run migrated once. */
export function freshDatabase(): Promise<TestDatabase> {
  return newDatabase(ofTheRun('TEST_DATABASE_TEMPLATE'))
}

/** One with nothing in it, for those who test the first start. */
export function emptyDatabase(): Promise<TestDatabase> {
  return newDatabase('template1')
}

/** One whose texts are of another language. */
export function databaseOfLocale({ provider, locale }: Locale): Promise<TestDatabase> {
  const names = { builtin: 'builtin_locale', icu: 'icu_locale', libc: 'locale' }
  const libc = provider === 'libc' ? '' : " locale 'C'"
  return newDatabase('template0', `locale_provider ${provider} ${names[provider]} '${locale}'${libc}`)
}

export interface Locale {
  readonly provider: 'builtin' | 'icu' | 'libc'
  readonly locale: string
}

async function newDatabase(template: string, options = ''): Promise<TestDatabase> {
  const base = ofTheRun('TEST_DATABASE_URL')
  const name = `tillbell_test_${randomBytes(8).toString('hex')}`
  const admin = connect({ address: base, connectionsMax: 1, name: 'test' })
  await admin`create database ${admin(name)} template ${admin(template)} ${admin.unsafe(options)}`
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

function ofTheRun(variable: 'TEST_DATABASE_URL' | 'TEST_DATABASE_TEMPLATE'): string {
  const value = process.env[variable]
  if (value === undefined) throw new Error('Run the tests with npm test: it brings up their PostgreSQL.')
  return value
}
