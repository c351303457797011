// A payment by mail failed, which gave its token and its units back, and then the gateway reports that it had succeeded. Who
// accepts that takes both again: or the same token would pay once more.

import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { ofSecond } from '../src/core/for-person.ts'
import type { GatewayId, MerchantId, OperationId, TransactionId } from '../src/core/ids.ts'
import type { Operation } from '../src/core/operation.ts'
import { boxHashIn } from '../src/keys/open-token.ts'
import { migrate, readMigrations } from '../src/store/migrate.ts'
import { keepForPerson, keepLateSuccess } from '../src/store/sweeping.ts'
import { answered } from './support/answers.ts'
import { audited } from './support/audited.ts'
import { type BadLine, connectBadLine } from './support/bad-line.ts'
import type { Client } from './support/client.ts'
import { openCommandLine } from './support/command.ts'
import { emptyDatabase } from './support/database.ts'
import { holdsUp } from './support/holds-up.ts'
import { askByMail } from './support/letters.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

const tillbell = openCommandLine()

const ada = 'ada@example.com'

let service: TestService
let seller: Client & { readonly merchant: string }
let line: BadLine
before(async () => {
  service = await startTestService()
  seller = await service.newMerchant()
  line = await connectBadLine(seller)
})
after(async () => {
  await line.close()
  await service.stop()
})

async function resolve(t: TestContext, operation: string, as: string, ...more: string[]): Promise<void> {
  const words = ['doubt', 'resolve', operation, '--as', as, '--by', 'Ada', '--note', 'Seen at the gateway.', ...more]
  const place = { DATABASE_URL: service.database.url, TILLBELL_DATA: service.dataFolder, TILLBELL_LOG: 'fatal' }
  const { code, stderr } = await tillbell(t, words, place)
  assert.deepEqual([code, stderr], [0, ''])
}

const statusOf = async (id: string) => answered(await seller.ask(`transactions/${id}`), 200).json.transaction.status
const stockOf = async (offer: string) => answered(await seller.ask(`offers/${offer}`), 200).json.offer.stock
const outcomesOf = async (id: string) => {
  const rows = await service.database.sql<
    { outcome: string }[]
  >`select outcome from operation where transaction_id = ${id}`
  return rows.map(({ outcome }) => outcome)
}
const usersOf = async (tokenSha256: string) => {
  const rows = await service.database.sql<{ id: string }[]>`select transaction_id as id from token_use
    where box_sha256 = ${Buffer.from(tokenSha256, 'hex')}`
  return rows.map(({ id }) => id)
}

/** The database holds it, whatever a statement says. */
async function cannotBeUsedAgain(tokenSha256: string, by: string): Promise<void> {
  const box = Buffer.from(tokenSha256, 'hex')
  for (const [isPersonal, constraint] of [
    [true, 'token_use_by_whom'],
    [false, 'token_use_of_token'],
  ] as const) {
    const use = async () => {
      await service.database.sql`insert into token_use (merchant_id, box_sha256, is_personal, used_by, transaction_id)
        values (${seller.merchant}, ${box}, ${isPersonal}, 'somebody', ${by})`
    }
    await assert.rejects(use, { constraint })
  }
}

/** The offer's own token, where it is for one customer, and else a token made for this customer. */
const offersFor: { readonly [whom: string]: { readonly email?: string } } = {
  'one customer': { email: ada },
  everybody: {},
}

/** By a token for one customer. */
async function inDoubt(offerFor: { readonly email?: string; readonly authorization_only?: string }) {
  const offer = await seller.makeOffer({ stock: 2, ...offerFor })
  const { link } = answered(await seller.ask(`offers/${offer}/links`, { form: { email: ada } }), 200).json
  const tokenSha256 = boxHashIn(link.token)?.toString('hex') ?? assert.fail()
  const asked = { merchant: seller.merchant, offer, sender: ada, isProven: true, tokenSha256, hasConsent: true }
  const ask = () => askByMail(service, asked)
  line.loses = true
  const id = await ask()
  await until('it is in doubt', async () => (await outcomesOf(id)).includes('unknown'))
  line.loses = false
  const [row] = await service.database.sql<{ id: string }[]>`update operation
    set next_ask_at = next_ask_at + interval '1 hour' where transaction_id = ${id} returning id`
  const operation = row?.id ?? assert.fail('no operation')
  assert.deepEqual([await usersOf(tokenSha256), await stockOf(offer)], [[id], 1], 'held while in doubt')
  return { offer, tokenSha256, id, operation, ask }
}

/** Settled as not made while the gateway is away, which then makes it and reports a success. */
async function failedWithLateSuccess(
  t: TestContext,
  offerFor: { readonly email?: string; readonly authorization_only?: string },
) {
  const { offer, tokenSha256, id, operation, ask } = await inDoubt(offerFor)
  line.isDead = true
  await resolve(t, operation, 'not-made')
  assert.deepEqual([await statusOf(id), await usersOf(tokenSha256), await stockOf(offer)], ['Failed', [], 2])
  const { gatewayRef } = JSON.parse(await line.arrive())
  line.isDead = false
  const accept = async () => {
    await service.database
      .sql`update operation set for_person = 'The gateway reports a success.' where id = ${operation}`
    await resolve(t, operation, 'succeeded', '--gateway-ref', gatewayRef)
  }
  return { offer, tokenSha256, id, operation, accept, ask }
}

for (const [whom, offerFor] of Object.entries(offersFor)) {
  describe(`by a link of an offer for ${whom}`, () => {
    test('a late success that is accepted takes its token and its units again', async t => {
      const { offer, tokenSha256, id, accept, ask } = await failedWithLateSuccess(t, offerFor)
      await accept()
      assert.deepEqual(
        [await statusOf(id), await usersOf(tokenSha256), await stockOf(offer)],
        ['Successful', [id], 1],
        'it is used again',
      )
      const before = line.sendings
      await assert.rejects(ask, /It came to nothing: .*token.* used/i, 'the token pays once')
      assert.equal(line.sendings, before)
      await cannotBeUsedAgain(tokenSha256, id)
      await audited(service.database.sql)
    })

    test('one whose token has paid meanwhile is accepted all the same, and the record says so', async t => {
      const { offer, tokenSha256, id, operation, accept, ask } = await failedWithLateSuccess(t, offerFor)
      const other = await ask()
      await until('the other is settled', async () => (await outcomesOf(other)).includes('succeeded'))
      assert.deepEqual([await statusOf(other), await usersOf(tokenSha256)], ['Successful', [other]])
      await accept()
      assert.deepEqual(
        [await statusOf(id), await usersOf(tokenSha256), await stockOf(offer)],
        ['Successful', [other], 0],
        'the use stays with who has it, and the money is in the books',
      )
      const [row] = await service.database.sql<{ cause: string }[]>`select cause from operation where id = ${operation}`
      assert.match(row?.cause ?? '', new RegExp(`Its token was used by transaction ${other} meanwhile\\.$`))
      await audited(service.database.sql)
    })
  })
}

/** Another charge of the same payment, as one at a gateway that was asked before: settled as declined. */
async function addDeclinedCharge(operation: string): Promise<string> {
  const { sql } = service.database
  const [row] = await sql<{ id: string; columns: string }[]>`select gen_random_uuid() as id,
      string_agg(quote_ident(column_name), ', ') filter (where column_name <> all(
        '{id,outcome,settled_at,decline_code,next_ask_at,for_person,more_for_person}')) as columns
    from information_schema.columns where table_schema = current_schema() and table_name = 'operation' and is_generated = 'NEVER'`
  const { id, columns } = row ?? assert.fail()
  await sql.unsafe(`insert into operation (id, outcome, settled_at, decline_code, more_for_person, ${columns})
    select '${id}', 'declined', now(), 'card_declined', '{}', ${columns} from operation where id = '${operation}'`)
  return id
}

const success = 'The gateway reports a success for a charge that was settled as declined.'

const list = (transaction: string, operation: string, sentence: string) =>
  keepLateSuccess(
    service.database.sql,
    {
      ...{ merchantId: seller.merchant as MerchantId, id: operation as OperationId, kind: 'charge' as const },
      ...{ transactionId: transaction as TransactionId, gatewayId: line.gateway as GatewayId, gatewayRef: 'ch_late' },
    } as Operation,
    sentence,
  )

test('of two charges that are listed the last decision gives the token back', async t => {
  const { tokenSha256, id, operation } = await inDoubt({})
  line.isDead = true
  await resolve(t, operation, 'not-made')
  line.isDead = false
  const other = await addDeclinedCharge(operation)
  for (const each of [operation, other]) await list(id, each, success)
  assert.deepEqual(await usersOf(tokenSha256), [id], 'taken while they are listed')
  await resolve(t, operation, 'dismissed', '--answers', success)
  assert.deepEqual(await usersOf(tokenSha256), [id], 'one is listed still')
  await resolve(t, other, 'dismissed', '--answers', success)
  assert.deepEqual(await usersOf(tokenSha256), [])
})

test('the token stays taken where the first gateway reports a success before the second charge comes to nothing', async t => {
  const { id, operation, tokenSha256 } = await inDoubt({})
  const other = await addDeclinedCharge(operation)
  await list(id, other, success)
  line.isDead = true
  await resolve(t, operation, 'not-made')
  line.isDead = false
  assert.deepEqual([await statusOf(id), await usersOf(tokenSha256)], ['Failed', [id]])
  await resolve(t, other, 'dismissed', '--answers', success)
  assert.deepEqual(await usersOf(tokenSha256), [])
})

test('the token stays taken while a second payment under the id of a charge is listed', async t => {
  const { id, operation, tokenSha256 } = await inDoubt({})
  await service.database.sql`update operation set next_ask_at = null, gateway_ref = 'pi_1',
    for_person = 'The gateway reports 99.99, and 100.00 was asked.' where id = ${operation}`
  const second = ofSecond('charge', 'pi_2', 'pi_1')
  await list(id, operation, second)
  line.isDead = true
  await resolve(t, operation, 'not-made')
  line.isDead = false
  assert.deepEqual([await statusOf(id), await usersOf(tokenSha256)], ['Failed', [id]])
  await resolve(t, operation, 'dismissed', '--answers', second)
  assert.deepEqual(await usersOf(tokenSha256), [])
})

test('a token that another payment gives back is taken by one that is listed meanwhile', async t => {
  const { tokenSha256, id, operation, ask } = await failedWithLateSuccess(t, { authorization_only: 'true' })
  const other = await ask()
  await until('the other holds its price', async () => (await statusOf(other)) === 'Authorized')
  await list(id, operation, 'The gateway reports a success.')
  assert.deepEqual(await usersOf(tokenSha256), [other], 'who has used it keeps it')
  answered(await seller.ask(`transactions/${other}/void`, { method: 'POST', form: {} }), 200)
  assert.deepEqual([await statusOf(other), await usersOf(tokenSha256)], ['Voided', [id]])
  await assert.rejects(ask, /token.* used/i)
})

test('a charge that is listed after its payment was voided takes the token', async () => {
  const offer = await seller.makeOffer({ authorization_only: 'true' })
  const { link } = answered(await seller.ask(`offers/${offer}/links`, { form: { email: ada } }), 200).json
  const tokenSha256 = boxHashIn(link.token)?.toString('hex') ?? assert.fail()
  const asked = { merchant: seller.merchant, offer, sender: ada, isProven: true, tokenSha256, hasConsent: true }
  const id = await askByMail(service, asked)
  await until('its price is held', async () => (await statusOf(id)) === 'Authorized')
  answered(await seller.ask(`transactions/${id}/void`, { method: 'POST', form: {} }), 200)
  assert.deepEqual(await usersOf(tokenSha256), [])
  const [row] = await service.database.sql<{ id: string; gatewayRef: string }[]>`
    select id, gateway_ref from operation where transaction_id = ${id} and kind = 'charge'`
  const { id: operation, gatewayRef } = row ?? assert.fail()
  const kept = { merchantId: seller.merchant, id: operation, kind: 'charge', transactionId: id } as unknown as Operation
  assert.ok(await keepForPerson(service.database.sql, kept, ofSecond('charge', 'pi_2', gatewayRef)))
  assert.deepEqual(await usersOf(tokenSha256), [id])
})

test('a refund does not begin where an earlier one is listed between its check and its commit', async t => {
  const { sql } = service.database
  const offer = await seller.makeOffer({ gateway: line.gateway, amount: '100.00' })
  const { id } = answered(await seller.charge(offer, line.card), 200).json.transaction
  const refund = (amount: string) => seller.ask('transactions/refunds', { form: { transaction: id, amount } })
  line.loses = true
  answered(await refund('60.00'), 202)
  line.loses = false
  const [row] = await sql<{ id: string }[]>`update operation set next_ask_at = next_ask_at + interval '1 hour'
    where transaction_id = ${id} and kind = 'refund' returning id`
  const operation = row?.id ?? assert.fail()
  line.isDead = true
  await resolve(t, operation, 'not-made')
  line.isDead = false
  const { sendings } = line
  // Whoever lists it holds the transaction while the other has read it and waits to write.
  let second: ReturnType<typeof refund> | undefined
  await sql.begin(async scope => {
    await scope`select from transaction where id = ${id} for update`
    second = refund('40.00')
    await until('it waits to be written', () => holdsUp(scope))
    await scope`update operation set for_person = 'The gateway reports a success.' where id = ${operation}`
  })
  const { status, text } = await (second ?? assert.fail())
  assert.deepEqual([status, line.sendings], [409, sendings], text)
})

test('while a refund waits for a person, another one of the rest is made', async () => {
  const { sql } = service.database
  const id = answered(await seller.charge(await seller.makeOffer({ amount: '9000.00' }), await seller.storeCard()), 200)
    .json.transaction.id
  const refund = (amount: string) => seller.ask('transactions/refunds', { form: { transaction: id, amount } })
  answered(await refund('4200.05'), 202)
  const waiting = await sql`select from operation
    where transaction_id = ${id} and kind = 'refund' and outcome = 'unknown' and for_person is not null`
  assert.equal(waiting.length, 1, 'the gateway reports another amount')
  answered(await refund('100.00'), 200)
})

test('uses that were written under a name before the upgrade count for the token alone afterwards', async t => {
  const { sql, drop } = await emptyDatabase()
  t.after(drop)
  const migrations = await readMigrations()
  await migrate(
    sql,
    migrations.filter(({ number }) => number < 20),
  )
  const [first, second] = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002']
  await sql`insert into merchant (merchant_id, partner, partner_id, name, email, currency, created_at)
    values ('m', gen_random_uuid(), 1, 'Shop', 'shop@example.com', 'USD', now())`
  for (const id of [first, second]) {
    await sql`insert into transaction (merchant_id, id, created_at, status, source, offer_id, customer_id, gateway_id, currency,
        unit_price_minor, quantity, amount_minor, authorization_only, pre_sale, held_minor, captured_minor, refund_reserved_minor,
        refunded_minor, version)
      values ('m', ${id}, now(), 'Processing', 'Email Transaction', ${id}, ${id}, 'g', 'USD', 100, 1, 100, false,
        'not_asked', 0, 0, 0, 0, 1)`
  }
  const uses: readonly (readonly [box: string, isPersonal: boolean, users: readonly [string, string][]])[] = [
    [
      'named and not',
      true,
      [
        ['', second],
        ['ada', first],
      ],
    ],
    [
      'named twice',
      true,
      [
        ['ada', second],
        ['bob', first],
      ],
    ],
    ['not named', false, [['', first]]],
    [
      'of each',
      false,
      [
        ['ada', first],
        ['bob', second],
      ],
    ],
  ]
  for (const [box, isPersonal, users] of uses) {
    await sql`insert into token (merchant_id, box_sha256, registered, created_at, revoked_at, is_personal)
      values ('m', sha256(${box}::bytea), false, now(), now(), ${isPersonal})`
    for (const [usedBy, id] of users)
      await sql`insert into token_use values ('m', sha256(${box}::bytea), ${usedBy}, ${id})`
  }
  await migrate(sql, migrations)
  const left = async (box: string) => {
    const rows = await sql<{ usedBy: string; transactionId: string; isPersonal: boolean }[]>`
      select used_by, transaction_id, is_personal from token_use where box_sha256 = sha256(${box}::bytea) order by 1`
    return rows.map(({ usedBy, transactionId, isPersonal }) => [usedBy, transactionId, isPersonal])
  }
  assert.deepEqual(await left('named and not'), [['', second, true]])
  assert.deepEqual(await left('named twice'), [['', first, true]])
  assert.deepEqual(await left('not named'), [['', first, true]], 'one that paid once pays no more, whoever it is for')
  assert.deepEqual(await left('of each'), [
    ['ada', first, false],
    ['bob', second, false],
  ])
})
