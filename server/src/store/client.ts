// One connection of the driver's, as we open them: to one server, with our settings, and with an eye on whether that server takes writes.

import { Socket } from 'node:net'
import pg from 'pg'
import { eachHost, hostNamed } from './hosts.ts'
import { ConnectionLostError, readOnlyCode } from './loss.ts'
import type { Seen } from './whereabouts.ts'

/** A URL, which may name several servers, or where the embedded PostgreSQL listens. */
export type Address =
  | string
  | { readonly host: string; readonly port: number; readonly database: string; readonly user: string }

/** One server. */
export interface Host {
  readonly name: string
  readonly settings: pg.ClientConfig
  readonly sockets: Set<Socket>
}

export const schemaName = 'tillbell'
const bigintType = 20
const connectMaxMs = 10_000
/** Of several servers one may be silent, and others wait for what it says. */
const lookMaxMs = 2_000

/**
 * A plan is made while a table is empty, and kept while it fills: one that reads all of it is never ours. Compiling a plan
 * takes longer than any of them runs.
 */
const ourOptions = `-c search_path=${schemaName} -c default_transaction_isolation=read\\ committed -c enable_seqscan=off -c jit=off`

export function hostsOf(address: Address, name: string): readonly [Host, ...Host[]] {
  const each = typeof address === 'string' ? eachHost(address) : [address]
  return each.map(one => hostAt(one, name)) as unknown as readonly [Host, ...Host[]]
}

function hostAt(address: Address, name: string): Host {
  const types = new pg.TypeOverrides()
  types.setTypeParser(bigintType, BigInt)
  const sockets = new Set<Socket>()
  const settings = {
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
  return { name: typeof address === 'string' ? hostNamed(address) : address.host, settings, sockets }
}

/** What a URL says of `options`, or of who connects, would otherwise take the place of ours. */
function withSchema(address: string): string {
  const url = new URL(address)
  url.searchParams.delete('application_name') // by which processes know each other
  const given = url.searchParams.get('options')
  if (given !== null) url.searchParams.set('options', `${given} ${ourOptions}`)
  return url.href
}

/** The part of the driver's connection that is listened to; its published types have none of it. */
interface Wire {
  readonly stream: Socket
  on(event: 'parameterStatus', heard: (said: { parameterName: string; parameterValue: string }) => void): void
}

/** A server says when a session begins, and whenever it changes, whether it follows another. */
const saysReadOnly = ['in_hot_standby', 'default_transaction_read_only']

export class HostClient extends pg.Client {
  readonly of: Host
  readonly #readOnly = new Set<string>()

  constructor(of: Host, settings: pg.ClientConfig = of.settings) {
    super(settings)
    this.of = of
    this.on('error', () => {}) // its end is an event too, which ends the process where nobody listens; its statements are told
    this.#wire.on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (!saysReadOnly.includes(parameterName)) return
      if (parameterValue === 'on') this.#readOnly.add(parameterName)
      else this.#readOnly.delete(parameterName)
    })
  }

  get #wire(): Wire {
    return (this as unknown as { connection: Wire }).connection
  }

  /** Without a goodbye, which nobody may be there to answer. */
  cutOff(): void {
    this.#wire.stream.destroy()
  }

  /** Null: it takes writes, as far as it has said. */
  get whyNot(): ConnectionLostError | null {
    if (this.#readOnly.size === 0) return null
    const why = this.#readOnly.has('in_hot_standby') ? 'it is a standby' : 'it is read-only'
    return new ConnectionLostError(`the server takes no writes: ${why}`, { code: readOnlyCode })
  }
}

/** What a server is, over a connection for this alone. Rejects where it takes no writes, or is not there. */
export async function lookAt(host: Host): Promise<Seen> {
  const client = new HostClient(host, {
    ...host.settings,
    connectionTimeoutMillis: lookMaxMs,
    query_timeout: lookMaxMs,
  })
  try {
    await client.connect()
    if (client.whyNot !== null) throw client.whyNot
    const { rows } = await client.query(`select system_identifier::text as system,
      ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline from pg_control_system()`)
    return rows[0] as Seen
  } finally {
    client.cutOff()
  }
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
