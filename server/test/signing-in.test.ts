// Who comes in by the dashboard, and what a session is good for.

import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import { after, test } from 'node:test'
import { everythingAtRest } from './support/at-rest.ts'
import { ConsoleClient, signedIn } from './support/console.ts'
import { holdsUp } from './support/holds-up.ts'
import { codeNow, countHashes, linkIn, stranger, withSecondFactor } from './support/people.ts'
import { type SignInPair, startTestService } from './support/service.ts'
import { until } from './support/until.ts'

const service = await startTestService({ TILLBELL_TRUSTED_PROXIES: '127.0.0.1/32' })
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

test('a sign-in that is under way when the password or the second factor changes comes to nothing', async () => {
  const { sql } = service.database
  for (const change of ["password_hash = 'another'", "totp_sealed = '', totp_since = now()"]) {
    const { merchant, login } = await service.newMerchant()
    const answers = await sql.begin(async scope => {
      await scope`update login set ${scope.unsafe(change)} where email = ${login.email}`
      await scope`delete from console_session where merchant_id = ${merchant}`
      const signingIn = stranger(service.baseUrl).signIn(login)
      let isAnswered = false
      signingIn.finally(() => {
        isAnswered = true
      })
      await until('it waits for the change, or does not', async () => isAnswered || (await holdsUp(scope)))
      return [signingIn]
    })
    assert.deepEqual(
      (await Promise.all(answers)).map(({ status, json }) => [status, json.errors?.general]),
      [[401, 'The email address or the password is wrong.']],
      change,
    )
    assert.equal((await sql`select from console_session where merchant_id = ${merchant}`).length, 0)
  }
})

test('a password that was proven while another was set changes nothing', async () => {
  const { sql } = service.database
  const { login } = await service.newMerchant()
  const client = await signedIn(service.baseUrl, login)
  const [changing] = await sql.begin(async scope => {
    await scope`update login set password_hash = 'another' where email = ${login.email}`
    const json = { password: login.password, new_password: 'four words by chance' }
    const asked = client.ask('account/password', { method: 'POST', json })
    await until('it waits for the change', () => holdsUp(scope))
    return [asked]
  })
  assert.equal((await changing)?.status, 422)
  const [row] = await sql`select password_hash from login where email = ${login.email}`
  assert.equal(row?.passwordHash, 'another')
})

/** As if the session of this cookie had been at each of these so much longer ago. */
const age = ({ cookie }: ConsoleClient, minutes: { readonly [column: string]: number }) => {
  const { sql } = service.database
  const id = cookie.split('.')[1]
  return Promise.all(
    Object.entries(minutes).map(
      ([column, mins]) =>
        sql`update console_session set ${sql(column)} = ${sql(column)} - make_interval(mins => ${mins}) where id = ${id}`,
    ),
  )
}

/** Shows this cookie, and keeps none. */
const showing = async (cookie: string) => {
  const client = new ConsoleClient(service.baseUrl)
  client.cookie = cookie
  const { status } = await client.ask('me')
  return { status, fresh: client.cookie === cookie ? null : client.cookie }
}

test('of many requests at once one replaces the secret, all pass, and whichever cookie comes last is good', async () => {
  const client = await signedIn(service.baseUrl, login)
  const { cookie } = client
  await age(client, { replaced_at: 61 })
  let late = ''
  for (const turn of ['the first', 'whose answer was lost']) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => showing(cookie)))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200], turn)
    const fresh = answers.map(each => each.fresh).filter(each => each !== null)
    assert.equal(fresh.length, 1, turn)
    assert.notEqual(fresh[0], late)
    late = fresh[0] ?? ''
    await age(client, { seen_at: 1 })
  }
  assert.equal((await showing(late)).status, 200)
  assert.equal((await showing(cookie)).status, 200, 'a request that was under way')
})

test('who throws the new secret away does not stop the replacing, and whoever works on is not signed out', async () => {
  const client = await signedIn(service.baseUrl, login)
  const copy = client.cookie
  await age(client, { replaced_at: 61 })
  const [thiefs] = [await showing(copy)]
  assert.notEqual(thiefs.fresh, null)
  await age(client, { seen_at: 20, replaced_at: 20 })
  assert.equal((await client.ask('me')).status, 200)
  assert.notEqual(client.cookie, copy)
  const [row] = await service.database.sql`select seen_at > now() - interval '1 minute' as is_seen from console_session
    where id = ${client.cookie.split('.')[1]}`
  assert.equal(row?.isSeen, true)
  assert.equal((await client.ask('me')).status, 200)
  await age(client, { first_used_at: 2 })
  assert.equal((await showing(copy)).status, 401)
  assert.equal((await client.ask('me')).status, 401)
  const [ended] = await service.database.sql`select by, about, status from console_change
    where action = 'copied_session_ended' and about = ${client.cookie.split('.')[1]}`
  assert.deepEqual({ ...ended }, { by: login.email, about: client.cookie.split('.')[1], status: 401 })
})

test('the former secret is good for an hour at most; one that was replaced unseen is good no more, and accuses nobody', async () => {
  for (const shown of ['the former', 'the unseen']) {
    const client = await signedIn(service.baseUrl, login)
    const { cookie } = client
    await age(client, { replaced_at: 61 })
    const unseen = (await showing(cookie)).fresh ?? assert.fail()
    await age(client, { seen_at: 1, replaced_at: 2 })
    const last = (await showing(cookie)).fresh ?? assert.fail()
    await age(client, { replaced_at: shown === 'the former' ? 60 : 0 })
    assert.equal((await showing(shown === 'the former' ? cookie : unseen)).status, 401, shown)
    assert.equal((await showing(last)).status, shown === 'the former' ? 401 : 200, shown)
  }
})

test('a request that took long replaces nothing that was replaced meanwhile', async () => {
  const client = await signedIn(service.baseUrl, login)
  const slow = Object.assign(new ConsoleClient(service.baseUrl), { cookie: client.cookie, csrfToken: client.csrfToken })
  await age(client, { replaced_at: 61 })
  const { finish } = await withHeldBody(slow, 'PATCH', 'account', { language: 'en' })
  assert.equal((await client.ask('me')).status, 200)
  await age(client, { seen_at: 1, replaced_at: 1 })
  const { status, setCookie } = await finish()
  assert.deepEqual([status, setCookie], [200, []])
  assert.equal((await client.ask('me')).status, 200)
})

/** A request whose headers are there, and whose body comes when it is told to. */
async function withHeldBody(client: ConsoleClient, method: string, path: string, json: object) {
  const body = JSON.stringify(json)
  const request = http.request(`${service.baseUrl}/console/${path}`, {
    method,
    headers: {
      ...{ Cookie: client.cookie, Origin: service.baseUrl, 'X-CSRF-Token': client.csrfToken },
      ...{ 'Content-Type': 'application/json', 'Content-Length': body.length, Expect: '100-continue' },
    },
  })
  const answer = once(request, 'response')
  request.flushHeaders()
  await once(request, 'continue')
  return {
    async finish() {
      request.end(body)
      const [response] = (await answer) as [http.IncomingMessage]
      response.resume()
      return { status: response.statusCode, setCookie: response.headers['set-cookie'] ?? [] }
    },
  }
}

test('a body that comes late changes nothing for a copied cookie after the password, or for who was removed', async () => {
  const shop = await service.newMerchant()
  const owner = await signedIn(service.baseUrl, shop.login)
  const thief = Object.assign(new ConsoleClient(service.baseUrl), { cookie: owner.cookie, csrfToken: owner.csrfToken })
  const stolen = await withHeldBody(thief, 'DELETE', 'account/sessions', {})
  const change = { password: shop.login.password, new_password: 'four words by chance' }
  assert.equal((await owner.ask('account/password', { method: 'POST', json: change })).status, 204)
  assert.deepEqual(await stolen.finish(), { status: 401, setCookie: [] })
  assert.equal((await owner.ask('me')).status, 200)

  const pair = await service.newLogin(shop.merchant, 'owner')
  const removed = await signedIn(service.baseUrl, pair)
  const late = await withHeldBody(removed, 'POST', 'api_keys', { name: 'A way back in' })
  assert.equal((await owner.ask(`team/members/${pair.email}`, { method: 'DELETE' })).status, 204)
  assert.equal((await late.finish()).status, 401)
})

test('a cookie that is good no more is not taken away: there may be a new one in its place', async () => {
  const client = await signedIn(service.baseUrl, login)
  const { cookie } = client
  assert.equal((await client.ask('account/sessions', { method: 'DELETE' })).status, 204)
  assert.deepEqual(await showing(cookie), { status: 401, fresh: null })
  assert.equal((await client.ask('me')).status, 200, 'it may have been under way')
})

test('one person has so many sessions; the next ends the one not seen for longest', async () => {
  const { merchant, login } = await service.newMerchant()
  await service.database
    .sql`insert into console_session (merchant_id, id, email, secret_sha256, address, user_agent, seen_at)
    select ${merchant}, gen_random_uuid(), ${login.email}, sha256('x'), '', '', now() - make_interval(mins => n)
    from generate_series(1, 60) n`
  const client = await signedIn(service.baseUrl, login)
  const sessions = (await client.ask('account/sessions')).json as { is_this: boolean }[]
  assert.deepEqual([sessions.length, sessions[0]?.is_this], [50, true])
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

const wrong = 'no such password'

/** All that were made before were made so long ago. Less than nothing: just now, however long the test takes from here. */
const triedAgo = (minutes: number) =>
  service.database.sql`update sign_in_try set at = now() - make_interval(mins => ${minutes})`
const holdTime = () => triedAgo(-60)

test('as much is hashed for an address that nobody has as for one that somebody has', async () => {
  const client = stranger(service.baseUrl)
  await client.signIn({ ...login, password: wrong })
  const counts = []
  for (const email of [login.email, 'nobody-at-all@example.com', login.email]) {
    counts.push(await countHashes(() => client.signIn({ email, password: wrong })))
  }
  assert.deepEqual(counts, [1, 1, 1])
})

test('who fails too often waits, longer each time, whether or not somebody has that address; nothing is hashed meanwhile', async () => {
  const { login } = await service.newMerchant()
  for (const email of [login.email, 'not-there@example.com']) {
    const client = stranger(service.baseUrl)
    const tries = () => client.signIn({ email, password: wrong })
    for (let failures = 0; failures < 5; failures++) assert.equal((await tries()).status, 401)
    await holdTime()
    const refused = await tries()
    assert.equal(refused.status, 429)
    assert.equal(refused.json.errors.general, 'Too many tries: try again in 15 seconds.')
    assert.equal(refused.headers.get('retry-after'), '15')
    assert.equal(await countHashes(tries), 0)
    await triedAgo(1)
    assert.equal((await tries()).status, 401)
    await holdTime()
    assert.equal((await tries()).headers.get('retry-after'), '30')
  }
})

test('many guesses at once are not taken for the first', async () => {
  const { login } = await service.newMerchant()
  const client = stranger(service.baseUrl)
  const answers = await Promise.all(Array.from({ length: 12 }, () => client.signIn({ ...login, password: wrong })))
  assert.equal(answers.filter(({ status }) => status === 401).length, 5)
})

test('who is to wait writes nothing, however many addresses they make up', async () => {
  const { sql } = service.database
  await sql`delete from sign_in_try`
  const client = stranger(service.baseUrl)
  const guessesAtOnce = () =>
    Promise.all(
      Array.from({ length: 8 }, (_, n) => client.signIn({ email: `made-up-${n}@example.com`, password: wrong })),
    )
  const count = async () => (await sql`select from sign_in_try`).length
  await client.signIn({ email: 'made-up@example.com', password: wrong })
  assert.equal(await count(), 3)
  await sql`update sign_in_try set failures = 49`
  const answers = await guessesAtOnce()
  assert.deepEqual(answers.map(({ status }) => status).sort(), [401, ...Array(7).fill(429)])
  assert.equal(await count(), 5, 'here and everywhere, of the one that counted')
  await holdTime()
  await guessesAtOnce()
  assert.equal(await count(), 5)
})

test('a success forgets the failures, and those of strangers hold nobody up who comes from elsewhere', async () => {
  const { login } = await service.newMerchant()
  const [thief, person] = [stranger(service.baseUrl), stranger(service.baseUrl)]
  for (let failures = 0; failures < 5; failures++) await thief.signIn({ ...login, password: wrong })
  await holdTime()
  assert.equal((await thief.signIn(login)).status, 429)
  for (let failures = 0; failures < 4; failures++) await person.signIn({ ...login, password: wrong })
  assert.equal((await person.signIn(login)).status, 200)
  person.browser = ''
  for (let failures = 0; failures < 5; failures++) {
    assert.equal((await person.signIn({ ...login, password: wrong })).status, 401)
  }
})

test('a login is not guessed from a hundred networks; a browser that signed in before does not wait for them', async () => {
  const { login } = await service.newMerchant()
  const person = stranger(service.baseUrl)
  assert.equal((await person.signIn(login)).status, 200)
  for (let failures = 0; failures < 20; failures++) {
    assert.equal((await stranger(service.baseUrl).signIn({ ...login, password: wrong })).status, 401)
  }
  await holdTime()
  assert.equal((await stranger(service.baseUrl).signIn(login)).status, 429)
  const elsewhere = stranger(service.baseUrl)
  elsewhere.browser = person.browser
  assert.equal((await elsewhere.signIn(login)).status, 200)
  const otherLogin = (await service.newMerchant()).login
  elsewhere.browser = elsewhere.browser.replace(/.$/, last => (last === 'A' ? 'E' : 'A'))
  assert.equal((await elsewhere.signIn(login)).status, 429, 'it cannot be made up')
  assert.equal((await elsewhere.signIn(otherLogin)).status, 200)
})

test('with a second factor a code is asked for, each is good once, and recovery codes stand in for it', async () => {
  const { merchant, login } = await service.newMerchant()
  const client = await signedIn(service.baseUrl, login)
  const other = await signedIn(service.baseUrl, login)
  const copy = client.cookie
  const { secret, recoveryCodes } = await withSecondFactor(client, login)
  assert.equal((await other.ask('me')).status, 401, 'a session that has shown no code')
  assert.equal((await showing(copy)).status, 401, 'a copy of the cookie')
  assert.equal((await client.ask('me')).json.me.second_factor, true)

  const visitor = stranger(service.baseUrl)
  const needsCode = await visitor.signIn(login)
  assert.deepEqual([needsCode.status, needsCode.json.needs], [401, 'code'])
  assert.equal((await visitor.signIn({ ...login, password: wrong, code: codeNow(secret) })).json.needs, undefined)
  const code = codeNow(secret, 1)
  const atOnce = await Promise.all([stranger(service.baseUrl), visitor].map(each => each.signIn({ ...login, code })))
  assert.deepEqual(atOnce.map(({ status }) => status).sort(), [200, 401])
  const again = await visitor.signIn({ ...login, code })
  assert.deepEqual([again.status, again.json.errors.code], [401, 'That code is wrong or was used before.'])

  const [first = '', second = ''] = recoveryCodes
  assert.equal((await visitor.signIn({ ...login, code: first.toUpperCase().replaceAll('-', ' ') })).status, 200)
  assert.equal((await visitor.signIn({ ...login, code: first })).status, 401)
  assert.equal((await visitor.ask('account')).json.account.second_factor.recovery_codes_left, 9)

  const off = (json: object) => visitor.ask('account/second_factor/off', { method: 'POST', json })
  assert.deepEqual((await off({ password: wrong, code: second })).json.errors, {
    password: 'That is not your password.',
  })
  assert.equal((await off({ password: login.password, code: '000000' })).status, 422)
  assert.equal((await off({ password: login.password, code: second })).status, 204)
  assert.equal((await stranger(service.baseUrl).signIn(login)).status, 200)
  await until('failures are in the audit log', async () => {
    const rows = await service.database.sql`select from console_change
      where merchant_id = ${merchant} and action = 'sign_in_failed' and status = 401 and by = ${login.email}`
    return rows.length === 4
  })
})

test('codes are not guessed, also by somebody who knows the password', async () => {
  const { login } = await service.newMerchant()
  await withSecondFactor(await signedIn(service.baseUrl, login), login)
  for (let failures = 0; failures < 5; failures++) {
    assert.equal((await stranger(service.baseUrl).signIn({ ...login, code: '000000' })).status, 401)
  }
  await holdTime()
  assert.equal((await stranger(service.baseUrl).signIn({ ...login, code: '000000' })).status, 429)
})

test('a password that was hashed when hashes were cheaper is hashed anew', async () => {
  const { login } = await service.newMerchant()
  const { sql } = service.database
  const cheap = '$argon2id$v=19$m=8192,t=1,p=1$BwcHBwcHBwcHBwcHBwcHBw$'
  const tag = argon2Sync('argon2id', {
    ...{ message: login.password, nonce: Buffer.alloc(16, 7), tagLength: 32, memory: 8_192, passes: 1, parallelism: 1 },
  })
  const hash = cheap + tag.toString('base64').replaceAll('=', '')
  await sql`update login set password_hash = ${hash} where email = ${login.email}`
  assert.equal((await stranger(service.baseUrl).signIn(login)).status, 200)
  await until('it is hashed anew', async () => {
    const [row] = await sql`select password_hash from login where email = ${login.email}`
    return !String(row?.passwordHash).startsWith(cheap)
  })
  assert.equal((await stranger(service.baseUrl).signIn(login)).status, 200)
})

test('nothing secret of a person is kept in the clear, or in the log', async () => {
  const { login } = await service.newMerchant()
  const { secret, recoveryCodes } = await withSecondFactor(await signedIn(service.baseUrl, login), login)
  const places = [...(await everythingAtRest(service.database.sql)), { table: 'the log', text: service.logged() }]
  const secrets = [login.password, secret, ...recoveryCodes, ...recoveryCodes.map(code => code.replaceAll('-', ''))]
  for (const { table, text } of places) {
    for (const each of secrets) assert.ok(!text.includes(each), `${each} is in ${table}`)
  }
})

test('without a relay an owner is given the link of an invitation; the demo merchant’s is shown to its owners alone', async () => {
  const { login } = await service.newMerchant()
  const invite = async (pair: SignInPair, email: string) => {
    const owner = await signedIn(service.baseUrl, pair)
    const asked = { method: 'POST', json: { email, role: 'viewer' } }
    return (await owner.ask('team/invitations', asked)).json.invitation
  }
  const { link } = await invite(login, 'ada@example.com')
  const visitor = stranger(service.baseUrl)
  const json = { link: linkIn(link), password: 'four words by chance' }
  assert.equal((await visitor.ask('invitations/acceptance', { method: 'POST', json })).status, 200)
  await visitor.ask('password/forgotten', { method: 'POST', json: { email: 'ada@example.com' } })
  await until('the log says that no mail went out', async () => service.logged().includes('There is no relay.'))
  assert.equal((await invite(service.demoSheet.dashboard, 'grace@example.com')).link, null)
  await until('it is in the inbox', async () => {
    const rows = await service.database.sql`select text from inbox_mail where to_address = 'grace@example.com'`
    return rows.length === 1 && linkIn(String(rows[0]?.text)) !== ''
  })
  const { merchant, dashboard, inbox_url: inbox } = service.demoSheet
  const mailTo = async (pair: SignInPair) => {
    const { mails } = (await (await signedIn(service.baseUrl, pair)).ask('sandbox')).json.sandbox
    return mails.find(({ to }: { to: string }) => to === 'grace@example.com')
  }
  const { id, text, url } = await mailTo(dashboard)
  const secret = linkIn(text)
  assert.equal(url, null)
  for (const role of ['developer', 'viewer'] as const) {
    assert.equal((await mailTo(await service.newLogin(merchant, role))).text, null)
  }
  for (const path of ['mails', 'mails.json', 'mails/items']) {
    const shown = await (await fetch(`${inbox}/${path}`)).text()
    assert.ok(shown.includes('grace@example.com') && shown.includes('An owner reads it'), path)
    assert.ok(!shown.includes(secret), path)
  }
  assert.equal((await fetch(`${inbox}/mails/${id}/html`)).status, 404)
})
