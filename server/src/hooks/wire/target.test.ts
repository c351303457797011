import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { addressGuard, type Whereto } from './address-guard.ts'
import { readTarget, whyNotUrl } from './target.ts'

const live: Whereto = { mode: 'live', allow: [], ownPorts: () => [8080], inboxPort: () => 8080 }
const sandbox: Whereto = { ...live, mode: 'sandbox' }

const fine = [
  'https://shop.example/hook',
  'https://shop.example',
  'HTTPS://Shop.Example:8443/a/b?c=d&e=%20',
  'https://8.8.8.8/hook',
  'https://[2606:4700::1111]:8443/hook',
  'https://müller.example/straße',
  'https://shop.example./hook',
  `https://shop.example/${'a'.repeat(2_048 - 21)}`,
]
for (const url of fine) {
  test(`${url.slice(0, 60)} may be configured, in live mode too`, () => {
    assert.equal(whyNotUrl(url, live), null)
    assert.equal(whyNotUrl(url, sandbox), null)
  })
}

const begin = 'must begin with http:// or https:// and name a host'
const repaired = 'must not contain blanks, control characters or backslashes'
const dotted = 'must write an IPv4 address as four decimal numbers'
const reserved = 'must not lead to a private or reserved address'
const invalid = 'is not a valid URL'
const noName = 'must name a host of at most 253 characters, with 1 to 63 between its dots'
const label = 'a'.repeat(63)
/** As long as a name can be. */
const longest = `${label}.${label}.${label}.${'a'.repeat(61)}`

const refused: readonly (readonly [url: string, why: string])[] = [
  ['', begin],
  ['shop.example/hook', begin],
  ['ftp://shop.example/', begin],
  ['javascript:alert(1)', begin],
  ['file:///etc/passwd', begin],
  ['https:shop.example', begin],
  ['https:/shop.example', begin],
  ['https://', begin],
  ['https:///hook', begin],
  ['https://?a=b', begin],
  ['https://user@shop.example/', 'must not carry credentials'],
  ['https://user:word@shop.example/', 'must not carry credentials'],
  ['https://@shop.example/', 'must not carry credentials'],
  ['https://shop.example/#top', 'must not have a fragment'],
  ['https://shop.example/#', 'must not have a fragment'],
  [`https://shop.example/${'a'.repeat(2_049 - 21)}`, 'must have at most 2048 characters'],
  [`https://shop.example/${'a'.repeat(3_000)}`, 'must have at most 2048 characters'],
  [' https://shop.example/', repaired],
  ['https://shop.example/ ', repaired],
  ['https://shop.example/a b', repaired],
  ['https://shop.example/a\tb', repaired],
  ['https://shop.example/a\r\nX: y', repaired],
  ['https://shop.example/\0', repaired],
  ['https://shop.example/\u200b', repaired],
  ['https://shop.example/\ud800', repaired],
  ['https:\\\\shop.example\\', repaired],
  ['https://shop.example\\@10.0.0.1/', repaired],
  ['https://shop.example:0/', 'must not name port 0'],
  ['https://shop.example:65536/', invalid],
  ['https://shop.example:port/', invalid],
  ['https://[::1', invalid],
  ['https://[fe80::1%25eth0]/', invalid],
  ['https://999.1.1.1/', invalid],
  ['https://2130706433/', dotted],
  ['https://134744072/', dotted],
  ['https://0177.0.0.1/', dotted],
  ['https://0x7f.1/', dotted],
  ['https://0x7f000001/', dotted],
  ['https://127.1/', dotted],
  ['https://8.8.2056/', dotted],
  ['https://010.8.8.8/', dotted],
  ['https://8.8.8.8./', dotted],
  ['https://８.8.8.8/', dotted],
  ['https://%38.8.8.8/', dotted],
  ['https://127.0.0.1/', reserved],
  ['https://10.1.2.3:8443/', reserved],
  ['https://169.254.169.254/latest/meta-data', reserved],
  ['https://[::1]/', reserved],
  ['https://[::ffff:169.254.169.254]/', reserved],
  ['https://[::ffff:a9fe:a9fe]/', reserved],
  ['https://[64:ff9b::169.254.169.254]/', reserved],
  ['https://[fd00:ec2::254]/', reserved],
  ['https://localhost/', reserved],
  ['https://LOCALHOST./', reserved],
  ['https://shop.localhost/', reserved],
  ['https://shop..example/', noName],
  ['https://.example/', noName],
  ['https://shop.example../', noName],
  ['https://./', noName],
  [`https://${label}a.example/`, noName],
  [`https://${'ü'.repeat(62)}.example/`, noName],
  [`https://${longest}a/`, noName],
]
for (const [url, why] of refused) {
  test(`${JSON.stringify(url.slice(0, 60))} is refused: ${why}`, () => assert.equal(whyNotUrl(url, live), why))
}

test('a name may be as long as the DNS allows', () => {
  assert.equal(longest.length, 253)
  for (const host of [longest, `${longest}.`, `${label}.example`])
    assert.equal(whyNotUrl(`https://${host}/`, live), null)
})

test('http is for the sandbox alone', () => {
  assert.equal(whyNotUrl('http://shop.example/', live), 'must be an https URL in live mode')
  assert.equal(whyNotUrl('http://shop.example/', sandbox), null)
})

test("the sandbox may be told of loopback, but not of the service's own ports, except for its inbox", () => {
  for (const host of ['127.0.0.1', '[::1]', 'localhost', 'shop.localhost']) {
    assert.equal(whyNotUrl(`http://${host}:9000/hook`, sandbox), null)
    assert.equal(whyNotUrl(`http://${host}:8080/hook`, sandbox), 'must not lead back to this service')
    assert.equal(whyNotUrl(`http://${host}:8080/inbox/demo`, sandbox), null)
  }
  for (const path of ['inbox/../api', 'inbox/%2e%2e/api', 'inbox', 'INBOX/demo', '%69nbox/demo']) {
    assert.equal(whyNotUrl(`http://127.0.0.1:8080/${path}`, sandbox), 'must not lead back to this service', path)
  }
})

test('the port that a scheme implies is one of its own ports too', () => {
  assert.equal(
    whyNotUrl('http://127.0.0.1/', { ...sandbox, ownPorts: () => [80] }),
    'must not lead back to this service',
  )
})

test('a target has what the request needs, in the spelling of the wire', () => {
  const read = readTarget('https://Müller.example:8443/straße?q=ü', 'live', addressGuard(live))
  assert.deepEqual(read, {
    target: {
      secure: true,
      authority: 'xn--mller-kva.example:8443',
      host: 'xn--mller-kva.example',
      port: 8443,
      path: '/stra%C3%9Fe?q=%C3%BC',
      addresses: null,
    },
  })
})

test('whatever text is given, there is an answer, and what passes cannot break a request line', () => {
  const guard = addressGuard(sandbox)
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'binary' }).map(rest => `http://h/${rest}`),
    fc.string({ unit: 'binary' }).map(host => `http://${host}/`),
    fc.webUrl({ withQueryParameters: true }),
  )
  fc.assert(
    fc.property(text, url => {
      const read = readTarget(url, 'sandbox', guard)
      if ('why' in read) return
      assert.match(read.target.path, /^\/[\x21-\x7e]*$/)
      assert.match(read.target.authority, /^[\x21-\x7e]+$/)
    }),
    { numRuns: 2_000 },
  )
})
