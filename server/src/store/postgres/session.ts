import { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { createSql, type Sql } from '../sql.ts'
import { addressAt } from './settings.ts'

export type Connection = Sql

// A running PostgreSQL answers within milliseconds; a stopped one (SIGSTOP) still accepts and then says nothing.
const answerMaxMs = 2_000
const farewellMaxMs = 300

/** One connection, kept for as long as it holds. A session that is lost is to be ended, and another one opened. */
export interface Session {
  readonly sql: Connection
  isLost(): boolean
  end(): Promise<void>
}

export function openSession(socketFolder: string, name: string, onLost: () => void = () => {}): Session {
  const socket = new Socket()
  const client = new pg.Client({
    ...addressAt(socketFolder),
    application_name: name,
    ssl: false,
    connectionTimeoutMillis: answerMaxMs,
    stream: () => socket,
  })
  let lost = false
  client.on('error', () => {})
  client.on('end', () => {
    lost = true
    onLost()
  })
  let connecting: Promise<unknown> | null = null
  const sql = createSql(async ({ text, values }) => {
    connecting ??= client.connect()
    await connecting
    const { rows, rowCount } = await client.query(text, [...values])
    return Object.assign(rows, { count: rowCount ?? 0 })
  })
  return {
    sql,
    isLost: () => lost,
    async end() {
      // A server that stops will not answer any more, and must not hold the end up.
      const given = new AbortController()
      await Promise.race([
        client.end().catch(() => {}),
        delay(farewellMaxMs, null, { signal: given.signal }).catch(() => {}),
      ])
      given.abort()
      socket.destroy()
    },
  }
}
