import assert from 'node:assert/strict'
import { test } from 'node:test'
import { originFrom, whyNotReturnUrl } from './browser-urls.ts'

const sandbox = { mode: 'sandbox', baseUrl: 'http://127.0.0.1:8080' } as const
const live = { mode: 'live', baseUrl: 'https://pay.example' } as const
const here = ['http://localhost:3000', 'http://127.0.0.1', 'http://127.1.2.3:8080']

test('this very machine may be named without TLS in the sandbox, and never in live mode', () => {
  for (const url of here) {
    assert.equal(originFrom(url, sandbox), url)
    assert.equal(originFrom(url, live), null)
    assert.equal(whyNotReturnUrl(url, sandbox), null)
    assert.equal(whyNotReturnUrl(url, live), 'must be an https URL.')
  }
  assert.equal(whyNotReturnUrl('http://[::1]:3000/', sandbox), null)
  for (const elsewhere of ['http://localhost.example', 'http://128.0.0.1', 'http://127.0.0.1.example'])
    assert.equal(originFrom(elsewhere, sandbox), null, elsewhere)
})

test('an origin is written as browsers write it', () => {
  assert.equal(originFrom('HTTPS://Shop.Example:443/', live), 'https://shop.example')
  assert.equal(originFrom('https://bücher.example:8443', live), 'https://xn--bcher-kva.example:8443')
})

test('what would say more in a header than an origin is none', () => {
  const all = [
    "https://a.example;script-src 'unsafe-inline'",
    'https://a;b',
    'https://a,b',
    "https://a'b",
    'https://*.a',
  ]
  for (const given of [...all, 'https://a.example?', 'https://a.example#', 'https://a_b.example', 'https://[::1]'])
    assert.equal(originFrom(given, sandbox), null, given)
})
