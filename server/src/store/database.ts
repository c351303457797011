// The connection to PostgreSQL. Columns are snake_case there and camelCase here; bigint stays exact; times are Dates.

import { setTimeout as delay } from 'node:timers/promises'
import postgres from 'postgres'

export interface DatabaseOptions {
  /** A URL, or where the embedded PostgreSQL listens. */
  readonly address:
    | string
    | { readonly host: string; readonly port: number; readonly database: string; readonly user: string }
  readonly connectionsMax: number
  readonly name: string
}

const options = {
  types: { bigint: postgres.BigInt },
  transform: { column: { from: postgres.toCamel, to: postgres.fromCamel } },
  onnotice: () => {},
}

export type Database = postgres.Sql<{ bigint: bigint }>
/** A database transaction. What must be written together takes one as a required argument. */
export type Scope = postgres.TransactionSql<{ bigint: bigint }>
export type Json = postgres.JSONValue

export const schemaName = 'tillbell'

export function connect({ address, connectionsMax, name }: DatabaseOptions): Database {
  const settings = {
    ...options,
    max: connectionsMax,
    connect_timeout: 10,
    connection: {
      application_name: name,
      search_path: schemaName,
      // A process that was stopped in the middle of a commit must not keep its locks from everybody else.
      idle_in_transaction_session_timeout: 10_000,
    },
  }
  return typeof address === 'string' ? connectToUrl(address, settings) : postgres({ ...address, ...settings })
}

/** A socket is named the way libpq names it: postgres:///database?host=/folder&user=name. The driver alone cannot. */
function connectToUrl(
  address: string,
  settings: postgres.Options<{ bigint: postgres.PostgresType<bigint> }>,
): Database {
  const url = new URL(address)
  const host = url.searchParams.get('host')
  if (host === null) return postgres(address, settings)
  const user = url.searchParams.get('user') ?? url.username
  const port = Number(url.searchParams.get('port') ?? 5432)
  return postgres({ ...settings, host, port, user, database: decodeURIComponent(url.pathname.slice(1)) })
}

/** The constraint that a statement ran into; null: it failed for another reason. */
export function violatedConstraint(error: unknown): string | null {
  if (!(error instanceof postgres.PostgresError)) return null
  return error.code === '23505' ? (error.constraint_name ?? null) : null
}

/** What the driver and PostgreSQL say when a connection is gone, or not yet to be had. */
const connectionLost = new Set([
  ...['CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED', 'CONNECT_TIMEOUT'],
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE'],
  ...['57P01', '57P02', '57P03', '25P03', '08006', '08003'],
])
const reconnectDelaysMs = [50, 100, 200, 400, 800, 1_600, 3_200]

/** Does the work again while the database is away for a moment: a restart, a failover. Only for work that may be done again. */
export async function whileReconnecting<T>(work: () => Promise<T>): Promise<T> {
  for (const delayMs of reconnectDelaysMs) {
    try {
      return await work()
    } catch (error) {
      if (!connectionLost.has(String((error as { code?: string }).code))) throw error
      await delay(delayMs)
    }
  }
  return work()
}
