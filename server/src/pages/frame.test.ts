import assert from 'node:assert/strict'
import { test } from 'node:test'
import { merchant } from '../../test/support/sale-samples.ts'
import { plainLook } from '../core/look.ts'
import { rootOf } from '../core/root-path.ts'
import { namedFile } from '../http/named-files.ts'
import { type Frame, framed, frameFor, nightStyle, pageHeaders, pageStyle } from './frame.ts'
import { html } from './html.ts'

const service = { baseUrl: () => 'https://a.example/till/', isSandbox: false }
const look = plainLook
const frame: Frame = frameFor(service, { headers: {} }, { merchant, look })
const withLook = (some: Partial<typeof look>): Frame => ({ ...frame, of: { merchant, look: { ...look, ...some } } })
const page = { title: 'Pay', content: html`<h1>Pay</h1>` }
const policyOf = (...given: Parameters<typeof pageHeaders>) =>
  pageHeaders(...given)['Content-Security-Policy'].split('; ')

test('behind a proxy that serves it under a path, the page finds its files there', () => {
  const addresses = ['https://a.example', 'https://a.example/', 'https://a.example/till/']
  assert.deepEqual(addresses.map(rootOf), ['', '', '/till'])
  assert.ok(framed(frame, page).includes(`<link rel="stylesheet" href="/till${pageStyle.path}">`))
  const logo = { type: 'image/png', sha256: 'ab' } as const
  const text = framed(withLook({ logo, buttonColor: '#112233' }), page)
  assert.match(text, /<link rel="stylesheet" href="\/till\/pages\/looks\/112233-\.css">/)
  assert.match(text, /<img class="logo plated" src="\/till\/pages\/logos\/[^"]+\/ab" alt="Corner Shop">/)
})

test('a merchant’s background decides whether it is day or night, and without one the customer’s screen', () => {
  const night = `href="/till${nightStyle.path}"`
  const shown = (backgroundColor: string | null) => framed(withLook({ backgroundColor }), page)
  assert.ok(shown(null).includes(`${night} media="(prefers-color-scheme: dark)">`))
  assert.ok(shown('#101020').includes(`${night}>`))
  assert.match(shown('#101020'), /<meta name="color-scheme" content="dark">/)
  assert.ok(!shown('#fdf3dd').includes(night))
  assert.match(shown('#fdf3dd'), /<meta name="color-scheme" content="light">/)
})

test('nothing is inline, nothing comes from elsewhere, and nothing runs where the page has no script', () => {
  const policy = policyOf(frame)
  for (const rule of ["default-src 'none'", "style-src 'self'", "form-action 'self'", "base-uri 'none'"])
    assert.ok(policy.includes(rule), rule)
  assert.doesNotMatch(policy.join(), /script-src|frame-src|connect-src|unsafe|nonce/)
  const text = framed(frame, { title: '<b>', content: html`<p>${'<i>'}</p>` })
  assert.doesNotMatch(text, /<script|<style| style=|<b>|<i>/)
})

test('a page with scripts may run ours, and of others only what it names', () => {
  const own = namedFile('/pages', new URL('card.js', import.meta.url))
  assert.ok(policyOf(frame, { scripts: [own] }).includes("script-src 'self'"))
  const scripts = ['https://js.example/v3', own]
  const reach = { scripts: ['https://js.example'], frames: ['https://f.example'], calls: ['https://c.example'] }
  const policy = policyOf(frame, { scripts, reach })
  for (const rule of ["script-src 'self' https://js.example", 'frame-src https://f.example'])
    assert.ok(policy.includes(rule), rule)
  assert.ok(policy.includes('connect-src https://c.example'))
  const text = framed(frame, { ...page, scripts })
  assert.match(text, /<script src="https:\/\/js\.example\/v3" defer><\/script>/)
  assert.ok(text.includes(`<script src="/till${own.path}" defer></script>`))
})

test('a form leads where it is said to', () => {
  assert.ok(policyOf(frame, { reach: { leadsTo: ['https:'] } }).includes("form-action 'self' https:"))
})

test('nobody may show it in a frame but whom the merchant names', () => {
  assert.ok(policyOf(frame).includes("frame-ancestors 'none'"))
  assert.ok(policyOf({ ...frame, of: null }).includes("frame-ancestors 'none'"))
  const frameAncestors = ['https://shop.example', 'https://www.shop.example:8443']
  assert.ok(
    policyOf(withLook({ frameAncestors })).includes(
      'frame-ancestors https://shop.example https://www.shop.example:8443',
    ),
  )
})

test('the page, its headers and its words are in one language', () => {
  const spanish = frameFor(service, { headers: { 'accept-language': 'es-MX, en;q=0.5' } }, { merchant, look })
  const headers = pageHeaders(spanish)
  assert.deepEqual([headers['Content-Language'], headers.Vary], ['es', 'Accept-Language'])
  const text = framed({ ...spanish, isSandbox: true }, page)
  assert.match(text, /<html lang="es">/)
  assert.match(text, /entorno de pruebas/)
  assert.equal(pageHeaders(frame)['Content-Language'], 'en')
})

test('the sandbox says that no money moves, and live does not', () => {
  assert.match(framed({ ...frame, isSandbox: true }, page), /<footer>[\s\S]*This is a sandbox: no money moves\./)
  assert.doesNotMatch(framed(frame, page), /sandbox|<footer/)
  assert.doesNotMatch(framed(withLook({ supportEmail: 'help@shop.example' }), page), /sandbox/)
})

test('whom to ask stands below, with a link that writes to that address and no other', () => {
  const text = framed(withLook({ supportEmail: 'help+a?cc=b@shop.example' }), page)
  assert.match(text, /<a href="mailto:help%2Ba%3Fcc%3Db@shop\.example">help\+a\?cc=b@shop\.example<\/a>/)
})

test('a page of nobody that we know names nobody', () => {
  const text = framed({ ...frame, of: null }, page)
  assert.match(text, /<title>Pay<\/title>/)
  assert.doesNotMatch(text, /<header|Corner Shop/)
  assert.match(framed(frame, page), /<title>Pay · Corner Shop<\/title>/)
})
