// The sandbox gateway's books in PostgreSQL. What an entry or a card says is the sandbox's business: this room only
// keeps rows, so their exact types are the caller's.

import { type Database, violatedConstraint } from './database.ts'

interface EntryRow {
  readonly operationId: string
}
interface CardRow {
  readonly cardRef: string
}
interface Draft<Entry, T> {
  readonly append: readonly Entry[]
  readonly result: T
}
type Transacted<T> = { readonly kind: 'written'; readonly result: T } | { readonly kind: 'taken' }

const entryColumns = [
  ...['root_id', 'operation_id', 'seq', 'step', 'transaction_id', 'kind', 'capture', 'card_ref', 'asked_minor'],
  ...['booked_minor', 'currency', 'code'],
] as const
const cardColumns = ['card_ref', 'behaviour', 'mask', 'type', 'expiry_month', 'expiry_year', 'fingerprint'] as const

export function sandboxBooks<Entry extends EntryRow, Card extends CardRow>(sql: Database) {
  type Row = Record<string, string>
  return {
    async transact<T>(
      account: string,
      rootId: string,
      work: (entries: readonly Entry[]) => Draft<Entry, T>,
    ): Promise<Transacted<T>> {
      try {
        return (await sql.begin(async scope => {
          await scope`select pg_advisory_xact_lock(hashtextextended(${`${account} ${rootId}`}, 0))`
          const entries = await scope<Entry[]>`select ${scope(entryColumns)} from sandbox_entry
            where account = ${account} and root_id = ${rootId} order by written`
          const { append, result } = work([...entries] as unknown as readonly Entry[])
          for (const entry of append)
            await scope`insert into sandbox_entry ${scope({ ...entry, account } as unknown as Row)}`
          return { kind: 'written' as const, result }
        })) as Transacted<T>
      } catch (error) {
        if (violatedConstraint(error) === 'sandbox_entry_pkey') return { kind: 'taken' }
        throw error
      }
    },
    async entries(account: string): Promise<readonly Entry[]> {
      const rows = await sql`select ${sql(entryColumns)} from sandbox_entry where account = ${account} order by written`
      return [...rows] as unknown as readonly Entry[]
    },
    async putCard(account: string, card: Card): Promise<void> {
      await sql`insert into sandbox_card ${sql({ ...card, account } as unknown as Row)}`
    },
    async card(account: string, cardRef: string): Promise<Card | null> {
      const [row] =
        await sql`select ${sql(cardColumns)} from sandbox_card where account = ${account} and card_ref = ${cardRef}`
      return (row as Card | undefined) ?? null
    },
    async removeCard(account: string, cardRef: string): Promise<void> {
      await sql`delete from sandbox_card where account = ${account} and card_ref = ${cardRef}`
    },
  }
}
