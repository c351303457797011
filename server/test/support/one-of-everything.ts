// A merchant of whose transactions, notifications and deliveries there is at least one of every sort.

import assert from 'node:assert/strict'
import type { LaneName } from '../../src/core/delivery.ts'
import type { DeliveryId, MerchantId } from '../../src/core/ids.ts'
import { testCardThat } from '../../src/gateways/sandbox/test-cards.ts'
import type { Database } from '../../src/store/database.ts'
import { setLaneAside } from '../../src/store/deliveries.ts'
import { askResend } from '../../src/store/resends.ts'
import { answered } from './answers.ts'
import type { Client } from './client.ts'
import { askByMail } from './letters.ts'
import { type MerchantEndpoint, startEndpoint } from './merchant-endpoint.ts'
import { olderToken } from './older-client.ts'
import { payOnPage } from './plain-forms.ts'
import type { TestService } from './service.ts'
import { until } from './until.ts'

interface Ending {
  after(work: () => Promise<unknown>): void
}

type Seller = Client & { readonly merchant: string }

/** Returns the merchant's id. Its endpoints are there until the test ends. */
export async function doOneOfEverything(t: Ending, service: TestService): Promise<string> {
  const { sql } = service.database
  const [good, bad] = [await answering(200), await answering(500)]
  t.after(() => Promise.all([good.close(), bad.close()]))
  const seller = await service.newMerchant()
  const { merchant } = seller
  for (const kind of ['transaction', 'generic', 'update']) await addOld(sql, merchant, { kind, url: good.url })
  await addOld(sql, merchant, { kind: 'error', url: bad.url })
  await addOld(sql, merchant, { kind: 'far', url: good.url, status: 'paused' })
  await addOld(sql, merchant, { kind: 'transaction', url: bad.url, deleted: true })
  await moveMoney(seller)
  await askBeforehand(sql, seller)
  await tryEndpoint(sql, merchant)
  await payByMail(service)
  await showBothVersions(service)
  // Through doubt, the end of 3-D Secure and all ten attempts.
  answered(await service.demo.ask('sandbox/clock', { form: { advance_s: 29 * 3_600 } }), 200)
  await resendOne(sql, merchant)
  await cancelOne(sql, seller, bad)
  answered(await seller.charge(await seller.makeOffer(), await seller.storeCard('4012888888881881')), 402)
  await everythingIsSent(sql)
  return merchant
}

function answering(status: number): Promise<MerchantEndpoint> {
  return startEndpoint(response => void response.writeHead(status).end('said'))
}

/** Long before what follows, so that whether it is owed something can be told. */
async function addOld(
  sql: Database,
  merchant: string,
  endpoint: { kind: string; url: string; status?: string; deleted?: boolean; at?: string },
): Promise<void> {
  const { kind, url, status = 'enabled', deleted = false, at = '-2 hours' } = endpoint
  await sql`insert into hook_endpoint (merchant_id, id, kind, url, timeout_s, status, created_at, deleted_at)
    values (${merchant}, gen_random_uuid(), ${kind}, ${url}, 5, ${status}, now() + ${at}::interval,
      case when ${deleted} then now() - interval '1 hour' end)`
}

async function moveMoney(seller: Seller): Promise<void> {
  const offer = await seller.makeOffer()
  const held = await seller.makeOffer({ authorization_only: 'true' })
  const card = await seller.storeCard()
  const charged = async (of: string, number: string | null, status: number): Promise<string> => {
    const token = number === null ? card : await seller.storeCard(number)
    return answered(await seller.charge(of, token), status).json.transaction.id
  }
  await charged(offer, null, 200)
  const sold = await charged(offer, null, 200)
  for (const amount of ['30.00', '20.00']) {
    answered(await seller.ask('transactions/refunds', { form: { transaction: sold, amount } }), 200)
  }
  const act = async (what: string) =>
    answered(
      await seller.ask(`transactions/${await charged(held, null, 200)}/${what}`, { method: 'POST', form: {} }),
      200,
    )
  await act('capture')
  await act('void')
  await charged(held, null, 200)
  await charged(offer, '4012888888881881', 402)
  await charged(offer, testCardThat('three_d_secure').number, 202)
  await charged(offer, testCardThat('reset_after').number, 202)
  await charged(offer, testCardThat('wrong_amount').number, 202)
}

/** By the demo merchant's customer: with the token of an offer and of a link, on a page instead, not believed, and for what is not to be had. */
async function payByMail(service: TestService): Promise<void> {
  const { demo, demoSheet, database } = service
  const { merchant } = demoSheet
  const sender = 'ada@example.com'
  const own = await demo.makeOffer({ email: sender })
  answered(await demo.ask(`offers/${demo.offer}/links`, { form: { email: sender } }), 200)
  const tokenOf = async (offer: string) => {
    const [token] = await database.sql<{ sha: string }[]>`select encode(box_sha256, 'hex') as sha from token
      where offer_id = ${offer} and is_personal`
    return token?.sha ?? assert.fail()
  }
  await payOnPage(service.baseUrl, await demo.makeOffer({ email: sender }), { email: sender, first_name: 'Ada' })
  const ended = await demo.makeOffer()
  answered(await demo.ask(`offers/${ended}`, { method: 'DELETE' }), 200)
  const asked = { merchant, sender, isProven: true }
  for (const offer of [own, demo.offer])
    await askByMail(service, { ...asked, offer, tokenSha256: await tokenOf(offer), hasConsent: true })
  await askByMail(service, { ...asked, offer: demo.offer, isProven: false })
  await askByMail(service, { ...asked, offer: ended })
}

/** A token of an older client, with its version and without. */
async function showBothVersions({ baseUrl, demoSheet }: TestService): Promise<void> {
  const keys = {
    partnerId: Number(demoSheet.partner_id),
    privateKey: demoSheet.private_key,
    servicePublicKey: String(demoSheet.service_public_key),
  }
  const hold = olderToken(keys, { target: 'url<>', userData: '{"item_quantity":5}', version: 2n })
  for (const token of [hold, hold.replace(/^@[^~]+~/, '@')]) {
    const shown = await fetch(`${baseUrl}/token/registrations`, {
      method: 'POST',
      body: new URLSearchParams({ token }),
    })
    assert.equal(shown.status, 200)
  }
}

/** Passed, stopped with and without somebody's consent, and not answered. */
async function askBeforehand(sql: Database, seller: Seller): Promise<void> {
  const [offer, card] = [await seller.makeOffer(), await seller.storeCard()]
  for (const [statuses, status] of [
    [[200, 201], 200],
    [[403], 409],
    [[200, 403], 409],
    [[500], 424],
  ] as const) {
    const asked = await Promise.all(statuses.map(answering))
    for (const { url } of asked) await addOld(sql, seller.merchant, { kind: 'pre_sale', url })
    answered(await seller.charge(offer, card), status)
    await sql`update hook_endpoint set deleted_at = now() where kind = 'pre_sale'`
    for (const endpoint of asked) await endpoint.close()
  }
}

async function tryEndpoint(sql: Database, merchant: string): Promise<void> {
  await sql`with v as (
      insert into event (merchant_id, id, kind, type, details, at)
      values (${merchant}, gen_random_uuid(), 'transaction', 'success', '{}', now()) returning *),
    born as (insert into delivery (merchant_id, id, event_id, endpoint_id, created_at)
      select ${merchant}, gen_random_uuid(), v.id, e.id, v.at
      from v join hook_endpoint e on e.merchant_id = v.merchant_id and e.kind = 'generic' returning *)
    insert into owed_delivery (merchant_id, id, event_id, endpoint_id, created_at, due_at)
    select merchant_id, id, event_id, endpoint_id, created_at, created_at from born`
}

async function resendOne(sql: Database, merchant: string): Promise<void> {
  const [dropped] = await sql<{ id: DeliveryId }[]>`select id from owed_delivery
    where merchant_id = ${merchant} and state = 'dropped' order by id limit 1`
  assert.ok(dropped !== undefined)
  assert.equal(await askResend(sql, merchant as MerchantId, dropped.id, new Date()), 'asked')
}

/** An endpoint that goes while something is still owed to it. */
async function cancelOne(sql: Database, seller: Seller, bad: MerchantEndpoint): Promise<void> {
  const { merchant } = seller
  await addOld(sql, merchant, { kind: 'error', url: `${bad.url}/goes`, at: '28.5 hours' })
  answered(await seller.charge(await seller.makeOffer(), await seller.storeCard('4012888888881881')), 402)
  await everythingIsSent(sql)
  const [gone] = await sql<LaneName[]>`update hook_endpoint e
    set deleted_at = (select max(at) from event v where v.merchant_id = e.merchant_id)
    where merchant_id = ${merchant} and url like '%/goes' returning merchant_id, id as endpoint_id`
  assert.ok(gone !== undefined)
  assert.equal(await setLaneAside(sql, gone, 'deleted', { now: new Date(), limit: 10 }), 1)
}

/** Every delivery but those that wait for a paused endpoint was tried, and nothing that is due is left. */
async function everythingIsSent(sql: Database): Promise<void> {
  await until('everything is sent', async () => {
    const left =
      await sql`select from owed_delivery where (attempts = 0 or resend_at is not null or holder is not null) and not parked`
    return left.length === 0
  })
}
