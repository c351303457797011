import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InboxHookId } from '../core/ids.ts'
import type { InboxHook } from '../core/inbox-hook.ts'
import { inboxPage, pageHeaders } from './inbox-page.ts'

const hook: InboxHook = {
  id: '0192aaaa-0000-7000-8000-000000000001' as InboxHookId,
  at: new Date('2026-11-15T12:00:00.123Z'),
  path: 'endpoint',
  details: '{}',
  signature: '0'.repeat(40),
  verified: true,
}

/** The list's items, without the fold. */
function shown(change: Partial<InboxHook>): string {
  const [, list = ''] = /<ol>([\s\S]*)<\/ol>/.exec(inboxPage('key', [{ ...hook, ...change }], 'n')) ?? []
  return list.replace(/<details>[\s\S]*<\/details>/, '')
}

const kindIn = (item: string) => /<span class="kind">(.*?)<\/span>/.exec(item)?.[1]

test('a hook shows its kind, amount, transaction, customer, time and that it is authentic', () => {
  const details = { type: 'success', amount: '100.00', transaction: 'the-transaction', name: 'Ada Lovelace' }
  const item = shown({ details: JSON.stringify(details) })
  for (const text of ['Transaction', '100.00', 'the-transaction', 'Ada Lovelace', '15 Nov 2026, 12:00:00 UTC'])
    assert.ok(item.includes(text), text)
  assert.match(item, /datetime="2026-11-15T12:00:00\.123\+00:00"/)
  assert.match(item, /✓ signature verified/)
})

test('the address tells FAR and Error apart where it is of one kind, because type may have them crossed', () => {
  const kind = (path: string, type: string) => kindIn(shown({ path, details: JSON.stringify({ type }) }))
  assert.deepEqual([kind('far', 'error'), kind('error', 'far')], ['Further action', 'Error'])
  assert.deepEqual([kind('endpoint', 'far'), kind('endpoint', 'error')], ['Further action', 'Error'])
  assert.deepEqual([kind('presale', 'pre_sale'), kind('transaction', 'success')], ['Pre-Sale', 'Transaction'])
  for (const [type, name] of Object.entries({ refund: 'Refund', void: 'Void', dispute: 'Dispute' }))
    assert.equal(kind('update', type), name)
  assert.deepEqual([kind('update', 'newer'), kind('endpoint', 'toString')], ['Hook', 'Hook'])
})

test('a hook that is not authentic states nothing as a fact; what it says is in the fold', () => {
  const details = JSON.stringify({ type: 'success', amount: '1000000.00', transaction: 'made-up', name: 'Mallory' })
  const item = shown({ verified: false, path: 'transaction', details })
  assert.equal(kindIn(item), 'Not authentic')
  assert.match(item, /✗ signature does not match/)
  assert.doesNotMatch(item, /1000000|made-up|Mallory|verified/)
  assert.match(inboxPage('key', [{ ...hook, verified: false, details }], 'n'), /<pre[^>]*>[^<]*made-up[^<]*<\/pre>/)
})

test('what is nested without sense is shown as it came', () => {
  const nested = (depth: number) => `{"type":"success","a":${'['.repeat(depth)}${']'.repeat(depth)}}`
  const fold = (details: string) => /<pre[^>]*>([^<]*)<\/pre>/.exec(inboxPage('key', [{ ...hook, details }], 'n'))?.[1]
  assert.match(fold(nested(35)) ?? '', /\n {20}\[/)
  const deep = nested(3_900)
  assert.ok(fold(deep)?.replaceAll('&#34;', '"') === deep, 'as it came')
  assert.equal(kindIn(shown({ details: deep })), 'Hook')
})

test('an update shows what is left of the amount, which is not what went back', () => {
  const details = { type: 'refund', amount: '100.00', balance: '99.00', authorization: false, capture: false }
  const amount = (change: object) =>
    /<strong>(.*?)<\/strong>/.exec(shown({ path: 'update', details: JSON.stringify({ ...details, ...change }) }))?.[1]
  assert.equal(amount({}), '99.00 of 100.00 left')
  assert.equal(amount({ type: 'void', balance: '0.00' }), '0.00 of 100.00 left')
  assert.equal(amount({ balance: null }), '100.00')
  assert.equal(amount({ type: 'success' }), '100.00')
})

test('what was bought stands beside the amount, and an authorisation is told from a sale', () => {
  const details = { type: 'success', amount: '100.00', user_data: { item_name: 'Brass bell' } }
  const item = (authorization: boolean, capture: boolean) =>
    shown({ details: JSON.stringify({ ...details, authorization, capture }) })
  assert.match(item(true, true), /<strong>100\.00<\/strong> <span class="item" dir="auto">Brass bell<\/span>/)
  const tag = (authorization: boolean, capture: boolean) =>
    /<span class="tag">(.*?)<\/span>/.exec(item(authorization, capture))?.[1]
  assert.deepEqual(
    [tag(true, true), tag(true, false), tag(false, true), tag(false, false)],
    [undefined, 'authorisation', 'capture', undefined],
  )
})

test('the signature stands in the fold', () => {
  const signature = 'ab'.repeat(20)
  assert.ok(!shown({ signature }).includes(signature))
  assert.match(
    inboxPage('key', [{ ...hook, signature }], 'n'),
    new RegExp(`<details>[\\s\\S]*${signature}[\\s\\S]*</details>`),
  )
})

test('a test is marked as one', () => {
  const marked = (test: unknown) =>
    shown({ details: JSON.stringify({ user_data: { custom_data: { test } } }) }).includes('>test<')
  assert.deepEqual([marked('true'), marked('false'), marked(undefined)], [true, false, false])
})

test('details of any shape are shown, as text', () => {
  for (const details of [
    '',
    'no JSON',
    'null',
    '[1]',
    '"x"',
    '{"amount":{"a":1},"name":7,"user_data":[],"type":[]}',
    '{"user_data":{"item_name":1,"custom_data":null}}',
  ]) {
    const page = inboxPage('key', [{ ...hook, details }], 'n')
    assert.match(page, /<li id="0192aaaa-/)
    assert.equal(kindIn(shown({ details })), 'Hook', details)
  }
  assert.match(
    inboxPage('key', [{ ...hook, details: '{"a":{"b":1}}' }], 'n'),
    /<pre[^>]*>\{\n {2}&#34;a&#34;: \{\n {4}&#34;b&#34;: 1/,
  )
})

test('whatever a hook says, the page has no tag, attribute or script of its making', () => {
  const evil = `"'><script>alert(1)</script><img src=x onerror=alert(2)>&lt;`
  const fields = ['type', 'amount', 'transaction', 'name', 'email', 'error', evil]
  const tags = (page: string) => page.match(/<[a-z][^>]*>/g)
  for (const verified of [true, false]) {
    const saying = (text: string) => {
      const said = { ...Object.fromEntries(fields.map(name => [name, text])), user_data: { item_name: text } }
      return inboxPage('key', [{ ...hook, verified, details: JSON.stringify(said), signature: text }], 'n')
    }
    assert.deepEqual(tags(saying(evil)), tags(saying('x')))
  }
})

test('only its own script and style run, and nothing learns its address', () => {
  const headers = pageHeaders('the-nonce')
  const policy = String(headers['Content-Security-Policy']).split('; ')
  for (const rule of [
    ...["default-src 'none'", "script-src 'nonce-the-nonce'", "style-src 'nonce-the-nonce'", "connect-src 'self'"],
    ...["frame-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ])
    assert.ok(policy.includes(rule), rule)
  assert.equal(headers['Referrer-Policy'], 'no-referrer')
  const page = inboxPage('key', [], 'the-nonce')
  assert.deepEqual(page.match(/<(script|style)[^>]*>/g), ['<style nonce="the-nonce">', '<script nonce="the-nonce">'])
  assert.doesNotMatch(page, / style=| on[a-z]+=/)
})

test('while it is empty it says so, and how to make one without showing a secret', () => {
  assert.match(inboxPage('key', [], 'n'), /Nothing has arrived yet\./)
  assert.match(inboxPage('key', [], 'n'), /curl -u "\$\(demo api_key\):\$\(demo api_secret\)"/)
  assert.doesNotMatch(inboxPage('key', [hook], 'n'), /<p class="empty">/)
})
