// The connection to PostgreSQL: a pool of connections over which statements are pipelined. bigint stays exact, times are
// Dates, columns are camelCase. A connection that breaks rejects what was on it with ConnectionLostError, and nothing else
// happens: the process lives, and the next statement gets another connection.

import { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { createGroups, type Together } from './group-commit.ts'
import { createListener, type Listening } from './listen.ts'
import { type Answered, runPrepared } from './prepared-query.ts'
import { createSharedFlights } from './shared-flights.ts'
import { createSql, type Row, type Rows, type Run, type Sql, toCamel, type Written } from './sql.ts'

export type { Json } from './sql.ts'

export interface DatabaseOptions {
  /** A URL, or where the embedded PostgreSQL listens. */
  readonly address:
    | string
    | { readonly host: string; readonly port: number; readonly database: string; readonly user: string }
  readonly connectionsMax: number
  readonly name: string
}

/** A database transaction, or a connection of one's own. What must be written together takes one as a required argument. */
export type Scope = Sql

export interface Database extends Sql {
  /** One transaction: committed when the work is done, undone when it throws. */
  begin<T>(work: (scope: Scope) => Promise<T>): Promise<T>
  /** One transaction of statements that need not know of each other: they and the commit go out in one flight. */
  flight<Statements extends readonly PromiseLike<unknown>[]>(
    statements: (scope: Scope) => readonly [...Statements],
  ): Promise<{ -readonly [Place in keyof Statements]: Awaited<Statements[Place]> }>
  /** One transaction, shared with what others of this name have to commit at the same time. It may be tried several times. */
  readonly together: Together<Scope>
  /** For reads by a key, which wait for nothing: those that come at the same time share a connection and a flight. */
  readonly quick: Sql
  /** A connection of one's own, until it is released. */
  reserve(): Promise<Sql & { release(): void }>
  listen(channel: string, onNotice: (says: string) => void, onListening: () => void): Promise<Listening>
  notify(channel: string): Promise<void>
  /** Waits so long for what is under way, then cuts it off. */
  end(within?: { readonly timeout: number }): Promise<void>
}

export const schemaName = 'tillbell'
const endWithinS = 5
const answerMaxMs = 60_000
const connectMaxMs = 10_000
/** Of those that share a transaction. Less than PostgreSQL waits until it looks for a deadlock. */
const lockWaitMax = '100ms'

/** The connection broke: whether what was on it was done is not known. */
export class ConnectionLostError extends Error {
  readonly code = 'CONNECTION_LOST'
}

export function connect({ address, connectionsMax, name }: DatabaseOptions): Database {
  const sockets = new Set<Socket>()
  const settings = clientSettings(address, name, sockets)
  const pool = new pg.Pool({
    ...settings,
    max: connectionsMax,
    idleTimeoutMillis: 60_000,
  })
  const listener = createListener(() => new pg.Client(settings))
  // A connection reports its end as an event too, which ends the process where nobody listens. Its statements are told.
  pool.on('error', () => {})
  pool.on('connect', client => void client.on('error', () => {}))

  const withClient = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const client = await pool.connect().catch(explained)
    let broken: Error | undefined
    try {
      return await work(client)
    } catch (error) {
      broken = isConnectionLoss(error) ? (error as Error) : undefined
      throw error
    } finally {
      client.release(broken)
    }
  }
  const sql = createSql(written => withClient(client => runOn(client, written, answerMaxMs)))
  const begin = <T>(work: (scope: Scope) => Promise<T>) => withClient(client => inTransaction(client, work))
  const waitBrieflyForLocks = (scope: Scope) => scope`select set_config('lock_timeout', ${lockWaitMax}, true)`.start()
  return Object.assign(sql, {
    begin,
    together: createGroups({ begin, waitBrieflyForLocks, isInDoubt: isConnectionLoss, isSpoiled }),
    quick: createSql(
      createSharedFlights<Written, Rows<Row[]>>(work => withClient(client => onOneConnection(client, work))),
    ),
    flight: (statements: (scope: Scope) => readonly PromiseLike<unknown>[]) =>
      withClient(client => inOneFlight(client, statements)),
    async reserve() {
      const client = await pool.connect().catch(explained)
      let lost: Error | undefined
      const reserved = createSql(written =>
        runOn(client, written).catch(error => {
          if (isConnectionLoss(error)) lost = error as Error
          throw error
        }),
      )
      return Object.assign(reserved, { release: () => client.release(lost) })
    },
    listen: listener.listen,
    async notify(channel: string) {
      await sql`select pg_notify(${channel}, '')`
    },
    async end({ timeout } = { timeout: endWithinS }) {
      const ended = [pool.end(), listener.end()]
      await Promise.race([Promise.all(ended), delay(timeout * 1_000, null, { ref: false })])
      for (const socket of sockets) socket.destroy()
    },
  }) as Database
}

const bigintType = 20
/**
 * A plan is made while a table is empty, and kept while it fills: one that reads all of it is never ours. Compiling a plan
 * takes longer than any of them runs.
 */
const ourOptions = `-c search_path=${schemaName} -c default_transaction_isolation=read\\ committed -c enable_seqscan=off -c jit=off`

function clientSettings(address: DatabaseOptions['address'], name: string, sockets: Set<Socket>): pg.ClientConfig {
  const types = new pg.TypeOverrides()
  types.setTypeParser(bigintType, BigInt)
  return {
    ...(typeof address === 'string' ? { connectionString: withSchema(address) } : { ...address, ssl: false }),
    stream: () => remembered(new OneFlightSocket(), sockets),
    types,
    pipeline: true,
    connectionTimeoutMillis: connectMaxMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: name,
    options: ourOptions,
    // A process that was stopped in the middle of a commit must not keep its locks from everybody else.
    idle_in_transaction_session_timeout: 10_000,
  } as pg.ClientConfig
}

/** What a URL says of `options` would otherwise take the place of ours. */
function withSchema(address: string): string {
  const url = new URL(address)
  const given = url.searchParams.get('options')
  if (given !== null) url.searchParams.set('options', `${given} ${ourOptions}`)
  return url.href
}

/**
 * Statements that are begun in one turn go out in one system call: the driver makes one for each, and each wakes a process
 * of the server's. (It corks its socket around every statement; the first uncork of a turn waits for the turn's end.)
 */
class OneFlightSocket extends Socket {
  #gathering = false
  override uncork(): void {
    if (this.#gathering) return void super.uncork()
    this.#gathering = true
    process.nextTick(() => {
      this.#gathering = false
      super.uncork()
    })
  }
}

/** So that an end can cut off what does not end by itself. */
function remembered(socket: Socket, sockets: Set<Socket>): Socket {
  sockets.add(socket)
  return socket.once('close', () => sockets.delete(socket))
}

/** `withinMs`: after that the connection is given up; a host that vanished would otherwise keep it for hours. */
async function runOn(client: pg.ClientBase, { text, values, name }: Written, withinMs?: number): Promise<Rows<Row[]>> {
  try {
    if (name === null) return await runPlain(client, text, withinMs)
    return await runPrepared(client, { text, values, name }, withinMs)
  } catch (error) {
    // Where it was asked for, not where the driver read the answer.
    if (error instanceof Error) Error.captureStackTrace(error)
    return explained(error)
  }
}

async function runPlain(client: pg.ClientBase, text: string, withinMs?: number): Promise<Rows<Row[]>> {
  const query = { text, rowMode: 'array' as const, ...(withinMs !== undefined && { query_timeout: withinMs }) }
  const result = await client.query(query)
  const last = Array.isArray(result) ? result.at(-1) : result
  const columns = (last.fields as pg.FieldDef[]).map(({ name }) => toCamel(name))
  return Object.assign(
    (last.rows as unknown[][]).map(row => Object.fromEntries(columns.map((column, index) => [column, row[index]]))),
    { count: last.rowCount ?? 0 },
  )
}

/** Each statement is told by itself how it ended; that the connection was lost is told to whoever gave it. */
async function onOneConnection(client: pg.ClientBase, work: (run: Run) => Promise<void>): Promise<void> {
  let lost: unknown
  await work(written =>
    runOn(client, written, answerMaxMs).catch(error => {
      if (isConnectionLoss(error)) lost = error
      throw error
    }),
  )
  if (lost !== undefined) throw lost
}

/** Begin and the first statements go out in one flight; a commit waits for all of them. */
async function inTransaction<T>(client: pg.ClientBase, work: (scope: Scope) => Promise<T>): Promise<T> {
  const scope = createSql(written => runOn(client, written, answerMaxMs))
  const begun = say(client, 'begin')
  begun.catch(() => {}) // told below; the work may fail first
  try {
    const [result] = await Promise.all([work(scope), begun])
    assertCommitted(await say(client, 'commit'))
    return result
  } catch (error) {
    if (!isConnectionLoss(error)) await scope.unsafe('rollback')
    throw error
  }
}

/**
 * What fails in the middle is undone by the commit that follows it; where one cannot even be written, none is sent. The first failure is
 * told.
 */
async function inOneFlight(
  client: pg.ClientBase,
  statements: (scope: Scope) => readonly PromiseLike<unknown>[],
): Promise<unknown[]> {
  const written: { readonly statement: Written; readonly answer: PromiseWithResolvers<Rows<Row[]>> }[] = []
  const scope = createSql(statement => {
    const answer = Promise.withResolvers<Rows<Row[]>>()
    written.push({ statement, answer })
    return answer.promise
  })
  const answers = statements(scope).map(each => Promise.resolve(each.then(rows => rows)))
  const isComplete = written.length === answers.length
  const begun = isComplete ? say(client, 'begin') : null
  for (const { statement, answer } of written) {
    answer.resolve(isComplete ? runOn(client, statement, answerMaxMs) : Object.assign([], { count: 0 }))
  }
  const over = await Promise.allSettled([begun, ...answers, isComplete ? say(client, 'commit') : null])
  const [, ...values] = over.map(each => {
    if (each.status === 'rejected') throw each.reason
    return each.value
  })
  assertCommitted(values.pop() as Answered)
  return values
}

function say(client: pg.ClientBase, word: 'begin' | 'commit'): Promise<Answered> {
  return runPrepared(client, { text: word, values: [], name: word }, answerMaxMs).catch(explained)
}

/** A transaction in which a statement failed is undone by its commit, and only the answer's name says so. */
function assertCommitted({ command }: Answered): void {
  if (command !== 'COMMIT') throw new Error('a transaction was undone, because a statement of it had failed')
}

/** The constraint that a statement ran into; null: it failed for another reason. */
export function violatedConstraint(error: unknown): string | null {
  if (!(error instanceof pg.DatabaseError)) return null
  return error.code === '23505' ? (error.constraint ?? null) : null
}

/** A statement before it in its transaction had failed; so it was not run, or is not even there: it was to be prepared by that one. */
function isSpoiled(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '25P02' || error.code === '26000')
}

/** What PostgreSQL and the operating system say when a connection is gone, or not yet to be had. */
const lossCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'CONNECTION_LOST'],
  ...['57P01', '57P02', '57P03', '25P03', '08006', '08003', '53300'],
])

export function isConnectionLoss(error: unknown): boolean {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  return lossCodes.has(String(code)) || (code === 'ENOENT' && syscall === 'connect')
}

/** The driver says in words alone that a connection ended or could not be had in time. */
function explained(error: unknown): never {
  const { code, message } = error as { code?: unknown; message?: unknown }
  const isDriversOwn = code === undefined && /connection|terminated|timeout/i.test(String(message))
  throw isDriversOwn ? new ConnectionLostError(String(message), { cause: error }) : error
}

const reconnectDelaysMs = [50, 100, 200, 400, 800, 1_600, 3_200]

/** Does the work again while the database is away for a moment: a restart, a failover. Only for work that may be done again. */
export async function whileReconnecting<T>(work: () => Promise<T>): Promise<T> {
  for (const delayMs of reconnectDelaysMs) {
    try {
      return await work()
    } catch (error) {
      if (!isConnectionLoss(error)) throw error
      await delay(delayMs)
    }
  }
  return work()
}
