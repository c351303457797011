// The connection to PostgreSQL: a pool of connections over which statements are pipelined. bigint stays exact, times are
// Dates, columns are camelCase. A connection that breaks rejects what was on it with ConnectionLostError, and nothing else
// happens: the process lives, and the next statement gets another connection, at whichever server takes writes then.

import { AsyncLocalStorage } from 'node:async_hooks'
import { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { MerchantId } from '../core/ids.ts'
import { createSharedTurns } from '../core/shared-turns.ts'
import type { WorksFor } from '../core/works-for.ts'
import { type Address, type Host, HostClient, hostsOf, lookAt } from './client.ts'
import { createGroups, type Together } from './group-commit.ts'
import { createListener, type Listening } from './listen.ts'
import { ConnectionLostError, explained, isConnectionLoss, isCrowded, isDiskFull, lossBy } from './loss.ts'
import { type Answered, runPrepared } from './prepared-query.ts'
import { createSharedFlights } from './shared-flights.ts'
import { createSql, type Row, type Rows, type Run, type Sql, toCamel, type Written } from './sql.ts'
import { createWhereabouts } from './whereabouts.ts'

export { schemaName } from './client.ts'
export { ConnectionLostError, isConnectionLoss, whileReconnecting } from './loss.ts'
export type { Json } from './sql.ts'

export interface DatabaseOptions {
  readonly address: Address
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
  /** Statements of this work, and of all that it begins, use this merchant's share of the connections. Those of no merchant have no limit but the pool's. */
  worksFor<T>(merchant: WorksFor, work: () => T): T
  /** It has refused something of late for want of room on its disk. */
  isFull(): boolean
  /** Waits so long for what is under way, then cuts it off. */
  end(within?: { readonly timeout: number }): Promise<void>
}

const endWithinS = 5
const answerMaxMs = 60_000
const connectMaxMs = 10_000
/** Whether another server was promoted, although this one answers. */
const lookAroundEveryMs = 10_000
/** The others are for what works for no merchant, such as sweeps. */
const forMerchants = 0.9
/** A server without room refuses what needs any, here and there, and answers all else. */
const fullForMs = 10_000
/** Of those that share a transaction. Less than PostgreSQL waits until it looks for a deadlock. */
const lockWaitMax = '100ms'

export function connect({ address, connectionsMax, name }: DatabaseOptions): Database {
  const hosts = hostsOf(address, name)
  const cutOff = (some: readonly Host[]) => {
    for (const { sockets } of some) for (const socket of sockets) socket.destroy()
  }
  const where = createWhereabouts({
    hosts,
    nameOf: host => host.name,
    look: lookAt,
    // What waits for an answer there would wait in vain, or be told of a commit that nobody else knows of.
    moved: to => cutOff(hosts.filter(host => host !== to)),
  })
  const pool = openPool(() => new HostClient(where.at), connectionsMax)
  const listener = createListener(
    async () => new HostClient(await where.find()),
    (client, error) => {
      if (!isCrowded(error)) where.doubt(client.of)
    },
  )
  const lookingAround = setInterval(() => void where.lookAround().catch(() => null), lookAroundEveryMs).unref()

  const merchants = new AsyncLocalStorage<WorksFor>()
  const shares = createSharedTurns<string>(Math.ceil(connectionsMax * forMerchants))
  const nameAtWork = () => merchants.getStore()?.merchantId ?? null

  /** `name`: whose share it comes from, so that one merchant's locked rows and slow statements leave connections to others. */
  const acquire = async (name: string | null): Promise<{ client: Pooled; release: (broken?: Error) => void }> => {
    const turn = name === null ? null : shares.enter(name, connectMaxMs)
    if (turn !== null) await turn.catch(notInTime)
    const leave = () => (name === null ? undefined : shares.leave(name))
    try {
      const client = await connected()
      return {
        client,
        release(broken) {
          client.release(broken)
          leave()
        },
      }
    } catch (error) {
      leave()
      throw error
    }
  }

  /** One at the server that takes writes. Those of before it was found are let go on the way. */
  const connected = async (): Promise<Pooled> => {
    for (let tries = 1; ; ) {
      const at = await where.find().catch(explained)
      try {
        const client = await pool.connect()
        if (client.of === at) return client
        client.release(true)
      } catch (error) {
        if (isCrowded(error)) {
          void where.lookAround().catch(() => null) // all that we have may hang on one that is gone
          throw lossBy(error)
        }
        where.doubt(at)
        if (tries++ >= hosts.length) throw lossBy(error)
      }
    }
  }
  let fullAtMs = Number.NEGATIVE_INFINITY
  const withClient = async <T>(work: (client: pg.PoolClient) => Promise<T>, name = nameAtWork()): Promise<T> => {
    const { client, release } = await acquire(name)
    let broken: Error | undefined
    try {
      return await work(client)
    } catch (error) {
      broken = isConnectionLoss(error) ? (error as Error) : undefined
      if (broken !== undefined) where.doubt(client.of)
      if (isDiskFull(error)) fullAtMs = performance.now()
      throw error
    } finally {
      release(broken)
    }
  }
  const sql = createSql(written => withClient(client => runOn(client, written, answerMaxMs)))
  const begin = <T>(work: (scope: Scope) => Promise<T>) => withClient(client => inTransaction(client, work))
  const waitBrieflyForLocks = (scope: Scope) => scope`select set_config('lock_timeout', ${lockWaitMax}, true)`.start()
  const groups = createGroups({ begin, waitBrieflyForLocks, isInDoubt: isConnectionLoss, isSpoiled })
  return Object.assign(sql, {
    begin,
    // Whoever comes first begins the group, and those that come later are done with it.
    together: <T>(name: string, ...work: [(scope: Scope) => Promise<T>, (() => Promise<T>)?]) =>
      merchants.run({ merchantId: name as MerchantId }, () => groups(name, ...work)),
    quick: createSql(
      // One that waits for a share would keep those of other merchants waiting with it.
      createSharedFlights<Written, Rows<Row[]>>(work => withClient(client => onOneConnection(client, work), null)),
    ),
    flight: (statements: (scope: Scope) => readonly PromiseLike<unknown>[]) =>
      withClient(client => inOneFlight(client, statements)),
    async reserve() {
      const { client, release } = await acquire(nameAtWork())
      let lost: Error | undefined
      const reserved = createSql(written =>
        runOn(client, written).catch(error => {
          if (isConnectionLoss(error)) lost = error as Error
          throw error
        }),
      )
      return Object.assign(reserved, { release: () => release(lost) })
    },
    worksFor: (merchant: WorksFor, work: () => unknown) => merchants.run(merchant, work),
    listen: listener.listen,
    isFull: () => performance.now() - fullAtMs < fullForMs,
    async notify(channel: string) {
      await sql`select pg_notify(${channel}, '')`
    },
    async end({ timeout } = { timeout: endWithinS }) {
      clearInterval(lookingAround)
      const ended = [pool.end(), listener.end()]
      await Promise.race([Promise.all(ended), delay(timeout * 1_000, null, { ref: false })])
      cutOff(hosts)
    },
  }) as Database
}

/** A connection that is nobody else's, without a pool, a pipeline or a limit of time: for what takes as long as it takes. */
export interface LongConnection {
  readonly sql: Sql
  /** The driver's own, which alone can copy. */
  readonly client: pg.Client
  /** Ends it, whatever is under way on it. */
  end(): Promise<void>
}

export async function openLongConnection(address: Address, name: string): Promise<LongConnection> {
  const hosts = hostsOf(address, name)
  const where = createWhereabouts({ hosts, nameOf: host => host.name, look: lookAt, moved: () => {} })
  const host = await where.find().catch(explained)
  const settings = { ...host.settings, stream: () => new Socket(), pipeline: false }
  const client = new HostClient(host, settings as pg.ClientConfig)
  await client.connect().catch(explained)
  return {
    sql: createSql(written => runOn(client, written)),
    client,
    async end() {
      await Promise.race([client.end().catch(() => {}), delay(endWithinS * 1_000, null, { ref: false })])
      client.cutOff()
    },
  }
}

function notInTime(): never {
  throw new ConnectionLostError('a merchant has all connections of the database that it may have, and none came free')
}

type Pooled = pg.PoolClient & { readonly of: Host }
type Pool = Omit<pg.Pool, 'connect'> & { connect(): Promise<Pooled> }

function openPool(newClient: () => HostClient, max: number): Pool {
  // Called by `new`, as a class would be; what it gives back is then the client.
  const Client = function pooled() {
    return newClient()
  } as unknown as new () => pg.ClientBase
  const pool = new pg.Pool({
    Client,
    max,
    connectionTimeoutMillis: connectMaxMs,
    idleTimeoutMillis: 60_000,
    verify: (client, done) => done((client as unknown as HostClient).whyNot ?? undefined),
  })
  pool.on('error', () => {})
  return pool as unknown as Pool
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
