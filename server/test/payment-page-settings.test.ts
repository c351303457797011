// How a merchant's pages look, set by REST: what is kept, what is refused, and where the logo and the colours are then found.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { logoBytesMax } from '../src/core/look.ts'
import { answered, refused } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { pictures, pngOfSize } from './support/picture-samples.ts'
import { startTestService, type TestService } from './support/service.ts'

type Merchant = Client & { readonly merchant: string }

let service: TestService
let merchant: Merchant
before(async () => {
  service = await startTestService()
  merchant = await service.newMerchant()
})
after(() => service.stop())

const plain = {
  name: 'Another',
  logo_url: null,
  button_color: null,
  background_color: null,
  support_email: null,
  return_url: null,
  frame_ancestors: [],
}
const logo = pictures.png.bytes.toString('base64')

const change = (json: object, headers = {}, of: Client = merchant) =>
  of.ask('payment_page', { method: 'PATCH', json, headers })
const shown = async (of: Client = merchant) => answered(await of.ask('payment_page'), 200).json.payment_page

test('a merchant who sets nothing has its name and our look', async () => {
  assert.deepEqual(await shown(), plain)
})

test('what is named changes, and the rest stays as it is', async () => {
  const seller = await service.newMerchant()
  const all = {
    name: 'Café “Ö” 🔔',
    button_color: '#AbCdEf',
    background_color: '#000000',
    support_email: 'Help@example.com',
    return_url: 'https://shop.example/thanks?a=1&b=2',
    frame_ancestors: ['https://shop.example', 'HTTPS://Other.example:8443/', 'https://shop.example:443'],
  }
  const kept = {
    ...all,
    logo_url: null,
    button_color: '#abcdef',
    frame_ancestors: ['https://shop.example', 'https://other.example:8443'],
  }
  assert.deepEqual(answered(await change(all, {}, seller), 200).json, { payment_page: kept })
  assert.deepEqual(answered(await change({ support_email: '' }, {}, seller), 200).json.payment_page, {
    ...kept,
    support_email: null,
  })
  assert.deepEqual(await shown(seller), { ...kept, support_email: null })
  const form = { frame_ancestors: 'https://a.example, https://b.example  http://localhost:3000', background_color: '' }
  answered(await seller.ask('payment_page', { method: 'PATCH', form }), 200)
  const { name, background_color, frame_ancestors } = await shown(seller)
  assert.deepEqual(
    [name, background_color, frame_ancestors],
    [all.name, null, ['https://a.example', 'https://b.example', 'http://localhost:3000']],
  )
  const none = { button_color: null, return_url: null, frame_ancestors: [], logo: null, name: 'Another' }
  assert.deepEqual(answered(await change(none, {}, seller), 200).json.payment_page, plain)
  assert.deepEqual(await shown(), plain)
})

test('a logo is found where it is said to be, with its own type, and kept for good', async () => {
  for (const { type, bytes } of Object.values(pictures)) {
    const { logo_url } = answered(await change({ logo: bytes.toString('base64') }), 200).json.payment_page
    const found = await fetch(logo_url)
    assert.equal(found.status, 200)
    assert.deepEqual(Buffer.from(await found.arrayBuffer()), bytes)
    assert.equal(found.headers.get('content-type'), type)
    assert.equal(found.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(found.headers.get('content-security-policy'), "default-src 'none'")
    assert.match(found.headers.get('cache-control') ?? '', /^public, max-age=31536000, immutable$/)
  }
})

test('another logo has another address, and what is no logo’s address finds nothing', async () => {
  const first = answered(await change({ logo }), 200).json.payment_page.logo_url
  assert.equal((await shown()).logo_url, first)
  const second = answered(await change({ logo: pictures.jpeg.bytes.toString('base64') }), 200).json.payment_page
  assert.notEqual(second.logo_url, first)
  const other = await service.newMerchant()
  const ofAnother = second.logo_url.replace(merchant.merchant, other.merchant)
  const wrong = [first, ofAnother, `${second.logo_url}0`, second.logo_url.toUpperCase(), `${first.slice(0, -2)}%00`]
  for (const url of wrong) assert.equal((await fetch(url)).status, 404, url)
  assert.equal(answered(await change({ logo: '' }), 200).json.payment_page.logo_url, null)
  assert.equal((await fetch(second.logo_url)).status, 404)
})

test('a logo may be as large as a body can carry, and come from a form as base64 tools write it', async () => {
  const largest = Buffer.concat([pictures.png.bytes, Buffer.alloc(logoBytesMax)]).subarray(0, logoBytesMax)
  answered(await change({ logo: largest.toString('base64') }), 200)
  refused(await change({ logo: Buffer.concat([largest, Buffer.alloc(1)]).toString('base64') }), 422, ['logo'])
  const inLines = pictures.jpeg.bytes.toString('base64').replace(/.{76}/g, '$&\n')
  answered(await merchant.ask('payment_page', { method: 'PATCH', form: { logo: inLines } }), 200)
  const withPlus = Buffer.concat([pictures.png.bytes, Buffer.from([0xfb, 0xef, 0xbe])])
  assert.match(withPlus.toString('base64'), /\+/)
  const notEncoded = await fetch(`${service.baseUrl}/api/v5/rest/payment_page`, {
    method: 'PATCH',
    headers: { authorization: merchant.authorization, 'content-type': 'application/x-www-form-urlencoded' },
    body: `logo=${withPlus.toString('base64')}`,
  })
  assert.equal(notEncoded.status, 200)
  const found = await fetch((await shown()).logo_url)
  assert.deepEqual(Buffer.from(await found.arrayBuffer()), withPlus)
})

test('what makes no sense is refused by its field, and nothing changes', async () => {
  const seller = await service.newMerchant()
  const refusals: { readonly [field: string]: readonly unknown[] } = {
    name: ['', ' x', 'x'.repeat(101), 'two\nlines', 'a\u0007', null, 7, 'card 4111 1111 1111 1111'],
    logo: [
      ...['not base64!', Buffer.from('GIF89a').toString('base64'), Buffer.from('<svg/>').toString('base64'), 5],
      ...[pngOfSize(2_001, 1), pngOfSize(1, 70_000), pngOfSize(0, 1)].map(bytes => bytes.toString('base64')),
    ],
    button_color: ['red', '#fff', '#12345g', '#1234567', 'url(#123456)', 1],
    background_color: ['#ffffff;', 'ffffff'],
    support_email: ['nobody', 'a@b, c@d', '4111111111111111@example.com'],
    return_url: [
      ...[
        'shop.example',
        'http://shop.example/',
        'javascript:alert(1)',
        'ftp://localhost/',
        'https://a:b@shop.example/',
      ],
      ...['https://shop.example/?card=4111111111111111', `https://shop.example/${'x'.repeat(2048)}`],
    ],
    frame_ancestors: [
      ...[
        '*',
        "'self'",
        'https://*.example',
        'http://shop.example',
        'https://shop.example/path',
        'https://a;script-src',
      ],
      ...[
        'https://a:b@c.example',
        'https://[2001:db8::1]',
        'ftp://localhost',
        7,
        [7],
        { a: 1 },
        ['https://shop.example x'],
      ],
      ...[Array.from({ length: 11 }, (_, index) => `https://shop${index}.example`), ['https://a.example,b'], null],
    ],
  }
  for (const [field, values] of Object.entries(refusals)) {
    for (const value of values)
      refused(await change({ background_color: '#123456', [field]: value }, {}, seller), 422, [field])
  }
  refused(await change({}, {}, seller), 422, ['general'])
  refused(await change({ logo_url: 'https://shop.example/logo.png' }, {}, seller), 422, ['logo_url'])
  refused(await change({ button_color: 'red', name: '', return_url: 'x' }, {}, seller), 422, [
    ...['button_color', 'name', 'return_url'],
  ])
  const reached = { name: '4111111111111111', logo: 'x', return_url: 'http://a.example', frame_ancestors: ['x'] }
  refused(await change(reached, {}, seller), 422, Object.keys(reached))
  assert.deepEqual(await shown(seller), plain)
})

test('a key changes it once, however its arguments are written', async () => {
  const seller = await service.newMerchant()
  const key = { 'idempotency-key': 'look-1' }
  const first = answered(await change({ button_color: '#ABCDEF', logo }, key, seller), 200)
  answered(await change({ button_color: '#000000', logo: null }, {}, seller), 200)
  const again = answered(await change({ logo, button_color: '#abcdef' }, key, seller), 200)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal(again.text, first.text)
  assert.deepEqual((await shown(seller)).button_color, '#000000')
  refused(await change({ button_color: '#abcdef' }, key, seller), 422, ['general'])
})

test('the name is the merchant’s on every page of its customers', async () => {
  const seller = await service.newMerchant()
  answered(await change({ name: 'Bells & <Sons>' }, {}, seller), 200)
  const form = { email: 'ada@example.com' }
  const { url } = answered(await seller.ask('credit_cards/links', { form }), 200).json.card_link
  assert.match(await (await fetch(url)).text(), /Bells &#38; &#60;Sons&#62;/)
})

test('the buttons of all offers have the colour from then on, and lead to the mail and the page', async () => {
  const seller = await service.newMerchant()
  const made = answered(await seller.ask('offers', { form: { amount: '5.00', title: 'جرس 🔔' } }), 200).json.offer
  answered(await change({ button_color: '#0A7A3D' }, {}, seller), 200)
  const path = `offers/${made.offer_id}`
  const later = [
    answered(await seller.ask('offers', { form: { amount: '5.00' } }), 200).json.offer,
    answered(await seller.ask(path), 200).json.offer,
    answered(await seller.ask('offers'), 200).json[1],
    answered(await seller.ask(path, { method: 'DELETE' }), 200).json.offer,
  ]
  assert.ok(!made.button_html.includes('#0a7a3d'))
  for (const { button_html, mail_to, pcp_url } of later) {
    assert.ok(button_html.includes('bgcolor="#0a7a3d"'))
    for (const href of [mail_to, pcp_url])
      assert.ok(button_html.includes(`href="${href.replaceAll('&', '&amp;')}"`), href)
  }
})

test('colours come as a style sheet whose address says them, with letters that can be read on them', async () => {
  const styled = async (colors: string) => fetch(`${service.baseUrl}/pages/looks/${colors}`)
  const found = await styled('ffee00-101010.css')
  assert.equal(found.headers.get('content-type'), 'text/css; charset=utf-8')
  assert.match(found.headers.get('cache-control') ?? '', /immutable/)
  const text = await found.text()
  const said = ['--button: #ffee00', '--on-button: #000000', '--paper: #101010', '--on-paper: #ffffff']
  for (const rule of said) assert.ok(text.includes(`${rule};`), rule)
  assert.doesNotMatch(await (await styled('-ffffff.css')).text(), /button/)
  for (const wrong of ['ffee00.css', 'red-blue.css', 'ffee00-101010', 'FFEE00-101010.css', 'ffee00-101010.css.css'])
    assert.equal((await styled(wrong)).status, 404, wrong)
})

test('without credentials nobody reads or changes it', async () => {
  const url = `${service.baseUrl}/api/v5/rest/payment_page`
  for (const method of ['GET', 'PATCH']) assert.equal((await fetch(url, { method })).status, 401)
})
