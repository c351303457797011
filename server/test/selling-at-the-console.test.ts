// How offers sell, how their pages and mails would look, and whether gateways still open: as the dashboard asks it.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answered } from './support/answers.ts'
import { type ConsoleAnswer, type ConsoleClient, signedIn } from './support/console.ts'
import { pictures } from './support/picture-samples.ts'
import { startTestService } from './support/service.ts'
import { unauthorized } from './support/stripe/faults.ts'
import { startStripe } from './support/stripe/server.ts'

const service = await startTestService()
after(service.stop)
const { sql } = service.database
const shop = await service.newMerchant()
let console: ConsoleClient
let viewer: ConsoleClient
before(async () => {
  console = await signedIn(service.baseUrl, shop.login)
  viewer = await signedIn(service.baseUrl, await service.newLogin(shop.merchant, 'viewer'))
})

const ok = ({ status, json, text }: ConsoleAnswer) => {
  assert.equal(status, 200, text)
  return json
}
const post = (path: string, json: object = {}) => console.ask(path, { method: 'POST', json })
const titles = async (query: string) =>
  ok(await console.ask(`offers?${query}`)).map(({ title }: { title: string }) => title)

test('an offer shows how it sold: what was paid, given back, held and refused', async () => {
  const card = await shop.storeCard()
  const declined = await shop.storeCard('4012888888881881')
  const offer = await shop.makeOffer({ title: 'Sold often', amount: '10.00', stock: 9, ref_id: 'often' })
  const { id } = answered(await shop.charge(offer, card, { form: { quantity: 2 } }), 200).json.transaction
  answered(await shop.charge(offer, card), 200)
  await shop.charge(offer, declined)
  answered(await shop.charge(offer, card, { form: { authorization_only: 'true' } }), 200)
  answered(await shop.ask('transactions/refunds', { form: { transaction: id, amount: '5.00' } }), 200)
  const { sales } = ok(await viewer.ask(`offers/${offer}/sales`))
  const { last_sale_at, ...counted } = sales
  assert.ok(Date.parse(last_sale_at) > 0)
  assert.deepEqual(counted, {
    ...{ state: 'active', currency: 'USD', sold: 2, units: 3, amount: '30.00', refunded: '5.00', reserved: '10.00' },
    ...{ failed: 1, stock: 5, at_least: false },
  })
  const [row] = ok(await viewer.ask('offers?search=often'))
  assert.deepEqual([row.offer_id, row.sold], [offer, { count: 2, amount: '30.00', at_least: false }])
})

test('one that sold more often than is counted says so, and which sale was the last', async () => {
  const offer = await shop.makeOffer({ title: 'Sold very often', amount: '1.00' })
  answered(await shop.charge(offer, await shop.storeCard()), 200)
  const [made] = await sql<{ at: Date }[]>`select created_at as at from transaction where offer_id = ${offer}`
  await sql`insert into transaction select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid()))).*
    from transaction t, generate_series(1, 1000) where t.offer_id = ${offer}`
  const [row] = ok(await console.ask('offers?search=Sold very'))
  assert.deepEqual(row.sold, { count: 1_000, amount: '1001.00', at_least: true })
  const { sales } = ok(await console.ask(`offers/${offer}/sales`))
  assert.deepEqual([sales.sold, sales.at_least], [1_001, false])
  assert.equal(sales.last_sale_at.slice(0, 19), made?.at.toISOString().slice(0, 19))
})

test('what was only tried was not sold', async () => {
  const offer = await shop.makeOffer({ title: 'Tried' })
  await shop.charge(offer, await shop.storeCard('4012888888881881'))
  const { sold, failed, amount, last_sale_at } = ok(await console.ask(`offers/${offer}/sales`)).sales
  assert.deepEqual({ sold, failed, amount, last_sale_at }, { sold: 0, failed: 1, amount: '0.00', last_sale_at: null })
})

test('offers are found by how the title begins, by ref_id, by id, and by whether they are over', async () => {
  const bell = await shop.makeOffer({ title: 'Brass bell 100% pure', ref_id: 'bell-1' })
  await shop.makeOffer({ title: 'Brass bowl' })
  const gone = await shop.makeOffer({ title: 'Brass gone' })
  answered(await shop.ask(`offers/${gone}`, { method: 'DELETE' }), 200)
  assert.deepEqual(await titles('search=bRASS b'), ['Brass bowl', 'Brass bell 100% pure'])
  assert.deepEqual(await titles(`search=${encodeURIComponent('Brass bell 100%')}`), ['Brass bell 100% pure'])
  assert.deepEqual(await titles(`search=${encodeURIComponent('Brass _')}`), [])
  assert.deepEqual(await titles('search=bell-1'), ['Brass bell 100% pure'])
  assert.deepEqual(await titles(`search=${bell}`), ['Brass bell 100% pure'])
  assert.deepEqual(await titles('search=Brass&active=false'), ['Brass gone'])
  assert.deepEqual(await titles('search=Brass&active=true&limit=1'), ['Brass bowl'])
  const { headers } = await console.ask('offers?search=Brass&active=true&limit=1')
  const next = new URL(/<(.+)>/.exec(headers.get('link') ?? '')?.[1] ?? '')
  assert.deepEqual(await titles(next.searchParams.toString()), ['Brass bell 100% pure'])
  const states = ok(await console.ask('offers?search=Brass')).map(({ state }: { state: string }) => state)
  assert.deepEqual(states, ['inactive', 'active', 'active'])
})

test('an offer that is over by its time or its stock is not called active', async () => {
  const over = await shop.makeOffer({ title: 'Over', expires_at: '2020-01-01T00:00:00Z' })
  const out = await shop.makeOffer({ title: 'Out', stock: 0 })
  assert.equal(ok(await console.ask(`offers/${over}/sales`)).sales.state, 'expired')
  assert.equal(ok(await console.ask(`offers/${out}/sales`)).sales.state, 'used_up')
})

test('the token of an offer is shown with the address of mails that carry it, while mails may pay', async () => {
  const offer = await shop.makeOffer()
  const { token } = ok(await viewer.ask(`offers/${offer}/token`))
  const [row] = await sql`select token_content from offer where id = ${offer}`
  assert.deepEqual(token, { content: row?.tokenContent, address: 'transaction@localhost' })
  const turn = (payments: boolean) => console.ask('rest/mail_settings', { method: 'PATCH', json: { payments } })
  ok(await turn(false))
  assert.equal(ok(await viewer.ask(`offers/${offer}/token`)).token.address, null)
  ok(await turn(true))
})

const countOf = async (table: string) => (await sql`select from ${sql(table)}`).length

test('the page of an offer is seen before it is made: nothing runs in it, and nothing is stored', async () => {
  const tables = ['offer', 'directory', 'console_change', 'idempotency_key']
  const were = await Promise.all(tables.map(countOf))
  const asked = { title: 'Bell <script>', amount: '12.50', custom_fields: [{ name: 'Engraving', required: true }] }
  const { html, can_be_paid } = ok(await post('offers/preview', asked)).preview
  assert.equal(can_be_paid, true)
  assert.match(html, /Bell &#60;script&#62;[\s\S]*\$12\.50[\s\S]*Engraving/)
  assert.doesNotMatch(html, /<script/)
  assert.match(html, /<base target="_blank">/)
  assert.match(ok(await post('offers/preview?language=es', asked)).preview.html, /<html lang="es">/)
  assert.deepEqual(await Promise.all(tables.map(countOf)), were)
})

test('what could not be made is refused in the preview by the same sentences', async () => {
  for (const json of [{ amount: '1.234' }, { amount: '-1' }, {}, { amount: '1.00', currency: 'XX', stock: -1 }]) {
    const [preview, made] = [await post('offers/preview', json), await post('rest/offers', json)]
    assert.equal(preview.status, 422)
    assert.deepEqual(preview.json.errors, made.json.errors)
  }
  const unknown = await post('offers/preview', { amount: '1.00', gateway: 'gw_none' })
  assert.deepEqual([unknown.status, unknown.json.errors], [404, { gateway: 'gateway is not known.' }])
})

test('where no gateway takes cards, the preview says that it cannot be paid', async () => {
  const other = await service.newMerchant()
  const client = await signedIn(service.baseUrl, other.login)
  const [gateway] = ok(await client.ask('rest/gateways'))
  ok(await client.ask(`rest/gateways/${gateway.id}`, { method: 'PATCH', json: { status: 'inactive' } }))
  const { preview } = ok(await client.ask('offers/preview', { method: 'POST', json: { amount: '1.00' } }))
  assert.equal(preview.can_be_paid, false)
  assert.match(preview.html, /<form/)
})

const logo = pictures.png.bytes.toString('base64')

test('a look is seen before it is saved, also a logo that was never sent before', async () => {
  const json = { name: 'Bells & Co', button_color: '#ff0000', logo, support_email: 'help@bells.example' }
  const { html } = ok(await viewer.ask('payment_page/preview', { method: 'POST', json })).preview
  assert.match(html, /looks\/ff0000-\.css/)
  assert.match(
    html,
    new RegExp(
      `<img class="logo plated" src="data:image/png;base64,${logo.replace(/[+/=]/g, '.')}" alt="Bells &#38; Co">`,
    ),
  )
  assert.match(html, /help@bells\.example/)
  assert.equal(ok(await viewer.ask('rest/payment_page')).payment_page.name, 'Another')
  const wrong = await viewer.ask('payment_page/preview', { method: 'POST', json: { button_color: 'red' } })
  assert.deepEqual(Object.keys(wrong.json.errors), ['button_color'])
})

test('each mail to customers is shown as it looks, in a page that can do nothing', async () => {
  for (const kind of ['receipt', 'reserved', 'further_action', 'confirm', 'confirm_by_mail', 'bank', 'error']) {
    const { status, headers, text } = await viewer.ask(`mail_samples?kind=${kind}&language=es`)
    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /^text\/html/)
    const policy = headers.get('content-security-policy') ?? ''
    for (const rule of ["default-src 'none'", "frame-ancestors 'self'", 'sandbox'])
      assert.ok(policy.includes(rule), rule)
    assert.doesNotMatch(policy, /script-src|allow-/)
    assert.match(text, /<html lang="es">[\s\S]*Una muestra de lo que vende/)
  }
  assert.equal((await viewer.ask('mail_samples?kind=other')).status, 422)
})

test('the button of an offer is shown as a mail would show it', async () => {
  const offer = await shop.makeOffer()
  const { button_html } = ok(await viewer.ask(`rest/offers/${offer}`)).offer
  const { headers, text } = await viewer.ask(`offers/${offer}/button`)
  assert.ok(text.includes(button_html))
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox$/)
})

test('a gateway is asked whether it takes its credentials, and what it says is told', async t => {
  const stripe = await startStripe()
  t.after(() => stripe.close())
  const json = { type: 'stripe', credentials: stripe.credentials }
  const { gateway } = ok(await post('rest/gateways', json))
  const tested = async () => ok(await post(`gateways/${gateway.id}/test`)).gateway_test
  assert.equal((await tested()).result, 'opens')
  stripe.faults.next(unauthorized)
  const refused = await tested()
  assert.deepEqual(
    [refused.result, refused.says],
    ['refused', 'The gateway refuses them: credentials are not accepted by Stripe.'],
  )
  await sql`update gateway set account = 'acct_of_another' where id = ${gateway.id}`
  assert.equal((await tested()).result, 'other_account')
  await stripe.close()
  assert.equal((await tested()).result, 'no_answer')
  const forViewer = await viewer.ask(`gateways/${gateway.id}/test`, { method: 'POST' })
  assert.equal(forViewer.status, 403)
  const [change] = await sql`select about, status from console_change where action = 'gateway_tested' limit 1`
  assert.deepEqual([change?.about, change?.status], [gateway.id, 200])
})
