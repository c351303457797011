// What must hold of letters afterwards, whoever died on the way.

import assert from 'node:assert/strict'
import { audited } from './audited.ts'
import type { Buyer, LetterWorld } from './letter-world.ts'
import { read } from './mail-relay.ts'
import { ledgersAgree } from './steps.ts'

export interface LetterEnd {
  readonly status: 'Successful' | 'Failed' | 'Further Action Required'
  readonly hooks: readonly string[]
  readonly mails: readonly string[]
}

export const ends = {
  paid: { status: 'Successful', hooks: ['transaction'], mails: ['receipt'] },
  failed: { status: 'Failed', hooks: ['error'], mails: ['error'] },
  asked: { status: 'Further Action Required', hooks: ['far'], mails: ['further_action'] },
  goneOn: { status: 'Successful', hooks: ['far', 'transaction'], mails: ['further_action', 'receipt'] },
  confirmed: { status: 'Successful', hooks: ['far', 'transaction'], mails: ['further_action', 'receipt'] },
} as const satisfies { readonly [name: string]: LetterEnd }

/** One transaction came of a buyer's letters, and owed what it says, once. */
export async function cameTo(world: LetterWorld, { email, offer }: Buyer, end: LetterEnd): Promise<void> {
  const { sql } = world.database
  const made = await sql<{ id: string; status: string }[]>`select id, status from transaction where offer_id = ${offer}`
  assert.deepEqual(
    made.map(({ status }) => status),
    [end.status],
  )
  const id = made[0]?.id ?? assert.fail()
  const letters = await sql<{ state: string; transactionId: string }[]>`
    select state, transaction_id from letter where offer_id = ${offer} order by id`
  const lettersSent = end === ends.goneOn ? 2 : 1
  assert.deepEqual([...letters], Array(lettersSent).fill({ state: 'done', transactionId: id }))
  const events = await sql<{ kind: string; type: string }[]>`
    select kind, type from event where transaction_id = ${id} order by at, id`
  assert.deepEqual(
    events.map(({ kind }) => kind),
    end.hooks,
  )
  for (const { type } of events) assert.ok(world.receiver.accepted.has(`${id} ${type}`), `${type} was not told`)
  const mails = await sql<{ kind: string; state: string }[]>`
    select kind, state from outgoing_mail where transaction_id = ${id} order by created_at, id`
  assert.deepEqual(
    [...mails],
    end.mails.map(kind => ({ kind, state: 'sent' })),
  )
  const names = mailsTo(world, email)
  assert.equal(new Set(names).size, end.mails.length, `it was told under other names: ${names}`)
}

/** The Message-IDs of what arrived there. */
export function mailsTo({ relay }: LetterWorld, email: string): string[] {
  const arrived = relay.mails.filter(({ to }) => to.includes(email))
  return arrived.map(mail => read(mail).fields.get('message-id')?.[0] ?? assert.fail('a mail without a name'))
}

/** Two ledgers, stock, the uses of tokens, what was told, and the audit. */
export async function theBooksAgree(world: LetterWorld): Promise<void> {
  const { sql } = world.database
  await ledgersAgree(world)
  const wrongUses = await sql`select t.id, t.status from transaction t where source = 'Email Transaction' and (
      select count(*) from token_use u where u.transaction_id = t.id) <> case
        when t.status = 'Failed' or t.action_wants is not null then 0
        else (select count(*) from letter l where l.transaction_id = t.id and l.token_sha256 is not null) end`
  assert.deepEqual([...wrongUses], [], 'a token was used too often, or too seldom')
  const events = await sql<{ name: string }[]>`select transaction_id || ' ' || type as name from event`
  assert.deepEqual([...world.receiver.accepted.keys()].sort(), events.map(({ name }) => name).sort())
  await audited(sql)
}
