// Who delivers notifications in this benchmark: Tillbell, queues that others have built, and a bare loop. All that one needs is
// committed before the clock runs, and every result is durable before it stops.

export interface Contestant {
  /** Commits so many notifications at once. */
  load(count: number): Promise<void>
  /** How many have no durable result yet. */
  left(): Promise<number>
  /** Has its database do now what it would do behind a round, in the time of the next contestant. */
  tidy(): Promise<void>
  stop(): Promise<void>
}

export interface Surroundings {
  readonly receiverUrl: string
  /** Of a PostgreSQL of its own, empty. */
  readonly databaseUrl: string
  /** Port of a Redis of its own; null: there is none. */
  readonly redisPort: number | null
}

export type Enter = (surroundings: Surroundings) => Promise<Contestant>

/**
 * Loads a peer's table and has it counted before anybody sees what is in it, as Tillbell's is: a statement that was planned while the table was empty
 * reads all of it for each few jobs, and no queue that is in use is empty all the time.
 */
// biome-ignore lint/suspicious/noExplicitAny: of a peer's own driver
export async function loadCounted(pool: any, table: string, load: (client: any) => Promise<unknown>): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await load(client)
    await client.query(`analyze ${table}`)
    await client.query('commit')
  } finally {
    client.release()
  }
}

/** One after the other, each by itself: the first cannot be part of a transaction. */
export const tidying = ['vacuum analyze', 'checkpoint'] as const

export const privateKey = 'b'.repeat(64)
/** As many as Tillbell has on the wire to one endpoint. */
export const atOnce = 128

const filler = 'x'.repeat(1_160)

/** 1.3 kB on the wire, and each with an id of its own. */
export function detailsOf(id: string): string {
  return JSON.stringify({ type: 'success', transaction: id, filler })
}

export function manyDetails(count: number): string[] {
  return Array.from({ length: count }, () => detailsOf(crypto.randomUUID()))
}
