// Who delivers notifications in this benchmark: Tillbell, queues that others have built, and a bare loop. All that one needs is
// committed before the clock runs, and every result is durable before it stops.

export interface Contestant {
  /** Cleans up behind the round before, so that the database does not do that within the next. */
  tidy(): Promise<void>
  /** Commits so many notifications at once. */
  load(count: number): Promise<void>
  /** How many have no durable result yet. */
  left(): Promise<number>
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
