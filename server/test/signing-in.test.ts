// Who comes in by the dashboard, and what a session is good for.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ConsoleClient, signedIn } from './support/console.ts'
import { startTestService } from './support/service.ts'

const service = await startTestService()
after(service.stop)
const { merchant, login } = await service.newMerchant()

test('who signs in with the right password is known by a cookie that no script can read and no other site can send', async () => {
  const client = new ConsoleClient(service.baseUrl)
  const { status, headers, json } = await client.signIn({ ...login, email: login.email.toUpperCase() })
  assert.equal(status, 200)
  assert.match(
    headers.getSetCookie()[0] ?? '',
    /^tillbell_session=\S+; Path=\/console; Max-Age=604800; HttpOnly; SameSite=Strict$/,
  )
  assert.equal(json.me.email, login.email)
  assert.equal(json.me.role, 'owner')
  assert.equal(json.me.merchant.id, merchant)
  assert.equal((await client.ask('me')).json.me.email, login.email)
})

test('a wrong password and an address that nobody has are the same answer', async () => {
  const client = new ConsoleClient(service.baseUrl)
  const wrong = await client.signIn({ ...login, password: 'wrong' })
  const nobody = await client.signIn({ email: 'nobody@example.com', password: 'wrong' })
  assert.equal(wrong.status, 401)
  assert.deepEqual([wrong.status, wrong.text], [nobody.status, nobody.text])
})

test('what is asked from another site, or without the token of the session, is refused', async () => {
  const client = await signedIn(service.baseUrl, login)
  const attempt = (headers: { readonly [name: string]: string }) =>
    client.ask('rest/offers', { method: 'POST', json: { amount: '1.00' }, headers })
  for (const headers of [
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { 'Sec-Fetch-Site': 'same-site' },
    { 'X-CSRF-Token': '' },
    { 'X-CSRF-Token': 'AAAA' },
  ]) {
    assert.equal((await attempt(headers)).status, 403, JSON.stringify(headers))
  }
  assert.equal((await attempt({})).status, 200)
})

test('a session ends by signing out', async () => {
  const client = await signedIn(service.baseUrl, login)
  const { cookie } = client
  assert.equal((await client.ask('session', { method: 'DELETE' })).status, 204)
  client.cookie = cookie
  assert.equal((await client.ask('me')).status, 401)
})

test('a secret is replaced after an hour; the former is good until the new one was seen, and then ends the session', async () => {
  const client = await signedIn(service.baseUrl, login)
  const old = client.cookie
  const age = () =>
    service.database
      .sql`update console_session set replaced_at = replaced_at - interval '61 minutes', first_used_at = first_used_at - interval '61 minutes'`
  await age()
  const replaced = await client.ask('me')
  const fresh = client.cookie
  assert.notEqual(fresh, old)
  assert.equal(replaced.status, 200)
  const other = new ConsoleClient(service.baseUrl)
  other.cookie = old
  assert.equal((await other.ask('me')).status, 200)
  assert.equal((await client.ask('me')).status, 200)
  other.cookie = old
  assert.equal((await other.ask('me')).status, 200, 'requests that were under way')
  await service.database.sql`update console_session set first_used_at = first_used_at - interval '2 minutes'`
  other.cookie = old
  assert.equal((await other.ask('me')).status, 401)
  assert.equal((await client.ask('me')).status, 401, 'one of the two was stolen')
})

test('what is changed is in the audit log before it is done, with how it ended', async () => {
  const client = await signedIn(service.baseUrl, login)
  const made = await client.ask('rest/offers', {
    method: 'POST',
    json: { amount: '12.00', title: 'Bell', email: 'ada@example.com' },
  })
  assert.equal(made.status, 200, made.text)
  const rows = await service.database.sql`select by, role, action, about, detail, status from console_change
    where merchant_id = ${merchant} and action = 'offer_created' order by id desc limit 1`
  assert.deepEqual(
    { ...rows[0] },
    {
      by: login.email,
      role: 'owner',
      action: 'offer_created',
      about: made.json.offer.offer_id,
      detail: { title: 'Bell', amount: '12.00' },
      status: 200,
    },
  )
})
