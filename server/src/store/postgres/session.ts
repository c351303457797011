import postgres from 'postgres'
import { addressAt } from './settings.ts'

export type Connection = postgres.Sql<Record<string, never>>

// A running PostgreSQL answers within milliseconds; a stopped one (SIGSTOP) still accepts and then says nothing.
const answerMaxSeconds = 2

/**
 * One connection, kept for as long as it holds: no idle time and no lifetime ends it. The driver would replace a lost one
 * in silence, by one that holds none of its locks; so a session that is lost is to be ended, and another one opened.
 */
export interface Session {
  readonly sql: Connection
  isLost(): boolean
  end(): Promise<void>
}

export function openSession(socketFolder: string, name: string, onLost: () => void = () => {}): Session {
  let lost = false
  const sql = postgres({
    ...addressAt(socketFolder),
    max: 1,
    ssl: false,
    fetch_types: false,
    prepare: false,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: answerMaxSeconds,
    connection: { application_name: name },
    onnotice: () => {},
    onclose: () => {
      lost = true
      onLost()
    },
  })
  // At once: else the driver would wait for the answer to a statement that a stopping server will not give any more.
  return { sql, isLost: () => lost, end: () => sql.end({ timeout: 0 }) }
}
