// The merchant's people: passwords, sessions, invitations, roles, and what the audit log says of them.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { tillbell } from './support/command.ts'
import { ConsoleClient, signedIn } from './support/console.ts'
import { startRelay } from './support/mail-relay.ts'
import { linkIn, linkInMail, stranger, withSecondFactor } from './support/people.ts'
import { startTestService } from './support/service.ts'
import { until } from './support/until.ts'

const relay = await startRelay()
const service = await startTestService({
  TILLBELL_TRUSTED_PROXIES: '127.0.0.1/32',
  TILLBELL_MAIL_RELAY: `smtp://127.0.0.1:${relay.port}`,
  TILLBELL_MAIL_DOMAIN: 'pay.example',
})
after(async () => {
  await service.stop()
  await relay.close()
})

const fresh = 'four words by chance'

async function mailTo(address: string, count = 1): Promise<string> {
  const mine = () => relay.mails.filter(({ to }) => to.includes(address))
  await until(`mail ${count} to ${address}`, async () => mine().length >= count)
  assert.equal(mine().length, count)
  return linkInMail(mine()[count - 1] ?? assert.fail())
}

const post = (client: ConsoleClient, path: string, json: object = {}) => client.ask(path, { method: 'POST', json })

test('a new password needs the old one, is no obvious one, and ends every other session', async () => {
  const { login } = await service.newMerchant()
  const [client, other] = [await signedIn(service.baseUrl, login), await signedIn(service.baseUrl, login)]
  const change = (password: string, next: string) => post(client, 'account/password', { password, new_password: next })
  assert.deepEqual((await change('wrong', fresh)).json.errors, { password: 'That is not your password.' })
  const faulty = await change(login.password, 'Password2026!')
  assert.deepEqual([faulty.status, faulty.json.why], [422, 'common'])
  assert.equal((await change(login.password, 'short')).json.why, 'short')
  assert.equal((await other.ask('me')).status, 200, 'nothing has changed so far')
  const thief = new ConsoleClient(service.baseUrl)
  thief.cookie = client.cookie
  assert.equal((await thief.ask('me')).status, 200)
  assert.equal((await change(login.password, fresh)).status, 204)
  assert.equal((await other.ask('me')).status, 401)
  assert.equal((await thief.ask('me')).status, 401, 'a copy of the very cookie')
  assert.equal((await client.ask('me')).status, 200)
  assert.equal((await stranger(service.baseUrl).signIn(login)).status, 401)
  assert.equal((await stranger(service.baseUrl).signIn({ ...login, password: fresh })).status, 200)
})

test('who forgot the password sets another by a mailed link, once; every session ends, and the code is still asked for', async () => {
  const { merchant, login } = await service.newMerchant()
  const client = await signedIn(service.baseUrl, login)
  const { recoveryCodes } = await withSecondFactor(client, login)
  const visitor = stranger(service.baseUrl)
  const asked = await post(visitor, 'password/forgotten', { email: login.email.toUpperCase() })
  const unknown = await post(visitor, 'password/forgotten', { email: 'nobody@example.com' })
  assert.deepEqual([asked.status, asked.text], [204, ''])
  assert.deepEqual([unknown.status, unknown.text], [204, ''])
  const link = await mailTo(login.email)
  assert.deepEqual((await post(visitor, 'links', { link })).json.link, {
    ...{ kind: 'reset', email: login.email, merchant_name: 'Another', role: null },
  })
  assert.equal((await post(visitor, 'password/reset', { link, password: 'aaaaaaaaaaaaaa' })).json.why, 'simple')
  assert.equal((await post(visitor, 'invitations/acceptance', { link, password: fresh })).status, 404)
  const both = await Promise.all([1, 2].map(() => post(visitor, 'password/reset', { link, password: fresh })))
  assert.deepEqual(both.map(({ status }) => status).sort(), [204, 404])
  const known = both.flatMap(({ headers }) => headers.getSetCookie())
  assert.deepEqual(known, [], 'who reads the mailbox guesses codes as any stranger does')
  assert.equal((await client.ask('me')).status, 401)
  const pair = { email: login.email, password: fresh }
  assert.equal((await visitor.signIn(pair)).json.needs, 'code')
  assert.equal((await visitor.signIn({ ...pair, code: recoveryCodes[0] ?? '' })).status, 200)
  assert.equal(relay.mails.filter(({ to }) => to.includes('nobody@example.com')).length, 0)
  const changes = await visitor.ask('changes')
  const actions = changes.json.map(({ action }: { action: string }) => action)
  assert.deepEqual(actions.slice(0, 3), ['signed_in', 'password_reset', 'reset_asked'], merchant)
})

test('a link that has expired sets nothing, and nobody’s mailbox is filled with them', async () => {
  const { login } = await service.newMerchant()
  const visitor = stranger(service.baseUrl)
  const asks = () => post(visitor, 'password/forgotten', { email: login.email })
  assert.equal((await asks()).status, 204)
  const link = await mailTo(login.email)
  await service.database.sql`update login_link set expires_at = now() where email = ${login.email}`
  assert.equal((await post(visitor, 'links', { link })).status, 404)
  assert.equal((await post(visitor, 'password/reset', { link, password: fresh })).status, 404)
  assert.equal((await asks()).status, 204)
  assert.equal((await asks()).status, 204)
  assert.equal((await asks()).status, 429)
})

test('a password is not reset where the audit log cannot say so', async () => {
  const { login } = await service.newMerchant()
  const { sql } = service.database
  const visitor = stranger(service.baseUrl)
  await post(visitor, 'password/forgotten', { email: login.email })
  const link = await mailTo(login.email)
  await sql.unsafe("alter table console_change add constraint full_disk check (action <> 'password_reset') not valid")
  assert.equal((await post(visitor, 'password/reset', { link, password: fresh })).status, 500)
  await sql.unsafe('alter table console_change drop constraint full_disk')
  assert.equal((await visitor.signIn(login)).status, 200)
  assert.equal((await post(visitor, 'password/reset', { link, password: fresh })).status, 204)
})

test('one sees where one is signed in, and ends it there', async () => {
  const { merchant, login } = await service.newMerchant()
  const [here, there, third] = await Promise.all([1, 2, 3].map(() => signedIn(service.baseUrl, login)))
  const colleague = await signedIn(service.baseUrl, await service.newLogin(merchant, 'owner'))
  assert.ok(here !== undefined && there !== undefined && third !== undefined)
  const list = async () => (await here.ask('account/sessions')).json as { id: string; is_this: boolean }[]
  const sessions = await list()
  assert.equal(sessions.length, 3)
  assert.equal(sessions.filter(session => session.is_this).length, 1)
  const others = (await there.ask('account/sessions')).json as { id: string; is_this: boolean }[]
  const ofThere = others.find(session => session.is_this)?.id ?? assert.fail()
  const ends = (client: ConsoleClient) => client.ask(`account/sessions/${ofThere}`, { method: 'DELETE' })
  assert.equal((await ends(colleague)).status, 404, 'it is not theirs')
  assert.equal((await ends(here)).status, 204)
  assert.equal((await there.ask('me')).status, 401)
  there.cookie = here.cookie
  assert.equal((await here.ask('account/sessions', { method: 'DELETE' })).status, 204)
  assert.equal((await there.ask('me')).status, 401, 'a copy of the very cookie')
  assert.equal((await third.ask('me')).status, 401)
  assert.deepEqual(
    (await list()).map(session => session.is_this),
    [true],
  )
})

test('an owner invites by mail; the link makes a login with that role, once', async () => {
  const { login } = await service.newMerchant()
  const owner = await signedIn(service.baseUrl, login)
  const email = 'grace@example.com'
  const invited = await post(owner, 'team/invitations', { email: 'Grace@Example.com', role: 'viewer' })
  assert.deepEqual(invited.json, { invitation: { email, role: 'viewer', link: null } })
  const first = await mailTo(email)
  assert.equal((await post(owner, `team/invitations/${encodeURIComponent(email)}/again`)).status, 200)
  const link = await mailTo(email, 2)
  const visitor = stranger(service.baseUrl)
  assert.equal((await post(visitor, 'links', { link: first })).status, 404, 'an earlier link')
  assert.equal((await post(visitor, 'links', { link })).json.link.role, 'viewer')
  const accepted = await post(visitor, 'invitations/acceptance', { link, password: fresh, language: 'es' })
  assert.equal(accepted.status, 200, accepted.text)
  assert.deepEqual([accepted.json.me.role, accepted.json.me.language], ['viewer', 'es'])
  assert.equal((await post(visitor, 'invitations/acceptance', { link, password: fresh })).status, 404)
  visitor.csrfToken = accepted.json.me.csrf_token
  assert.equal((await visitor.ask('team')).json.team.members.length, 2)
  assert.equal((await post(visitor, 'team/invitations', { email: 'a@example.com', role: 'owner' })).status, 403)
  const again = await post(owner, 'team/invitations', { email, role: 'owner' })
  assert.deepEqual([again.status, again.json.errors.email], [422, 'email is in your team already.'])
  const elsewhere = (await service.newMerchant()).login.email
  assert.match(
    (await post(owner, 'team/invitations', { email: elsewhere, role: 'owner' })).json.errors.email,
    /another/,
  )
})

test('an invitation that was revoked makes no login', async () => {
  const { login } = await service.newMerchant()
  const owner = await signedIn(service.baseUrl, login)
  const email = 'revoked@example.com'
  await post(owner, 'team/invitations', { email, role: 'developer' })
  const link = await mailTo(email)
  assert.equal((await owner.ask('team')).json.team.invitations[0].email, email)
  const revoke = () => owner.ask(`team/invitations/${email}`, { method: 'DELETE' })
  assert.deepEqual([(await revoke()).status, (await revoke()).status], [204, 404])
  assert.equal(
    (await post(new ConsoleClient(service.baseUrl), 'invitations/acceptance', { link, password: fresh })).status,
    404,
  )
})

test('an invitation is good only while whoever made it is an owner', async () => {
  const { merchant, login } = await service.newMerchant()
  const { sql } = service.database
  const owner = await signedIn(service.baseUrl, login)
  for (const [how, isGone] of [
    ['removed', async (email: string) => void (await owner.ask(`team/members/${email}`, { method: 'DELETE' }))],
    [
      'demoted',
      async (email: string) =>
        void (await owner.ask(`team/members/${email}`, { method: 'PATCH', json: { role: 'viewer' } })),
    ],
    // An invitation that was under way when they were.
    ['late', async (email: string) => void (await sql`update login set role = 'viewer' where email = ${email}`)],
  ] as const) {
    const pair = await service.newLogin(merchant, 'owner')
    const email = `back-door-${how}@example.com`
    await post(await signedIn(service.baseUrl, pair), 'team/invitations', { email, role: 'owner' })
    const link = await mailTo(email)
    await isGone(pair.email)
    const accepts = () => post(stranger(service.baseUrl), 'invitations/acceptance', { link, password: fresh })
    assert.equal((await accepts()).status, 404, how)
    const left = (await sql`select from login_link where email = ${email}`).length
    assert.equal(left, how === 'late' ? 1 : 0, how)
  }
})

test('an invitation is not used up by an address that has a login elsewhere', async () => {
  const email = 'two-shops@example.com'
  const links = []
  for (const count of [1, 2]) {
    const owner = await signedIn(service.baseUrl, (await service.newMerchant()).login)
    await post(owner, 'team/invitations', { email, role: 'viewer' })
    links.push(await mailTo(email, count))
  }
  const accept = async (link: string | undefined) =>
    (await post(stranger(service.baseUrl), 'invitations/acceptance', { link, password: fresh })).status
  assert.deepEqual([await accept(links[0]), await accept(links[1]), await accept(links[1])], [200, 409, 409])
})

test('a role changes at once, who is removed is out at once, and there is always an owner', async () => {
  const { merchant, login } = await service.newMerchant()
  const pair = await service.newLogin(merchant, 'owner')
  const [one, other] = [await signedIn(service.baseUrl, login), await signedIn(service.baseUrl, pair)]
  const setRole = (client: ConsoleClient, email: string, role: string) =>
    client.ask(`team/members/${encodeURIComponent(email)}`, { method: 'PATCH', json: { role } })
  assert.equal((await setRole(one, pair.email, 'viewer')).status, 204)
  assert.equal((await post(other, 'rest/offers', { amount: '1.00' })).status, 403)
  assert.equal((await setRole(one, login.email, 'viewer')).status, 409)
  assert.equal((await one.ask(`team/members/${login.email}`, { method: 'DELETE' })).status, 409)
  assert.equal((await setRole(one, pair.email, 'owner')).status, 204)
  const [promoted] = await service.database.sql`select alerts from login where email = ${pair.email}`
  assert.deepEqual(promoted?.alerts, ['hook_dropped', 'endpoint_paused', 'in_doubt'], 'an owner is alerted')
  const stranger = (await service.newMerchant()).login.email
  assert.equal((await setRole(one, stranger, 'viewer')).status, 404, 'of another merchant')

  const both = await Promise.all([setRole(one, pair.email, 'viewer'), setRole(other, login.email, 'viewer')])
  const owners = await service.database.sql`select email from login where merchant_id = ${merchant} and role = 'owner'`
  assert.equal(owners.length, 1, both.map(({ status }) => status).join())
  const [owner, viewer, gone] = owners[0]?.email === login.email ? [one, other, pair] : [other, one, login]
  assert.equal((await owner.ask(`team/members/${gone.email}`, { method: 'DELETE' })).status, 204)
  assert.equal((await viewer.ask('me')).status, 401)
  assert.equal((await new ConsoleClient(service.baseUrl).signIn(gone)).status, 401)
  assert.equal((await post(owner, 'team/invitations', { email: gone.email, role: 'viewer' })).status, 200)
})

async function joins(owner: ConsoleClient, email: string): Promise<void> {
  await post(owner, 'team/invitations', { email, role: 'viewer' })
  const link = await mailTo(email)
  const accepted = await post(stranger(service.baseUrl), 'invitations/acceptance', { link, password: fresh })
  assert.equal(accepted.status, 200, accepted.text)
}

test('who is removed does not come back by an invitation that was sent again while the first was accepted', async () => {
  const { merchant, login } = await service.newMerchant()
  const owner = await signedIn(service.baseUrl, login)
  const email = 'joan@corp.example'
  const { sql } = service.database
  await post(owner, 'team/invitations', { email, role: 'owner' })
  const link = await mailTo(email)
  const [open] = await sql`select * from login_link where merchant_id = ${merchant} and email = ${email}`
  const accepted = await post(stranger(service.baseUrl), 'invitations/acceptance', { link, password: fresh })
  assert.equal(accepted.status, 200, accepted.text)
  await sql`insert into login_link ${sql(open ?? assert.fail())}`
  assert.equal((await owner.ask(`team/members/${email}`, { method: 'DELETE' })).status, 204)
  const again = await post(stranger(service.baseUrl), 'invitations/acceptance', { link, password: fresh })
  assert.equal(again.status, 404)
})

test('members are changed and removed by their own address, though another becomes it in lower case', async () => {
  const { login } = await service.newMerchant()
  const owner = await signedIn(service.baseUrl, login)
  const [ascii, kelvin, umlaut] = ['kate@corp.example', '\u212aate@corp.example', '\u00d6@corp.example'] as const
  for (const email of [ascii, kelvin, umlaut]) await joins(owner, email)
  const roles = async (): Promise<{ [email: string]: string }> => {
    const members: { email: string; role: string }[] = (await owner.ask('team')).json.team.members
    return Object.fromEntries(members.map(({ email, role }) => [email, role]))
  }
  const of = (email: string) => `team/members/${encodeURIComponent(email)}`
  assert.equal((await owner.ask(of(kelvin), { method: 'PATCH', json: { role: 'owner' } })).status, 204)
  assert.deepEqual([(await roles())[ascii], (await roles())[kelvin]], ['viewer', 'owner'])
  for (const email of [kelvin, umlaut]) assert.equal((await owner.ask(of(email), { method: 'DELETE' })).status, 204)
  assert.deepEqual(Object.keys(await roles()).toSorted(), [ascii, login.email].toSorted())
})

test('the audit log is read by everybody, by who, what, about what and when, in pages', async () => {
  const { merchant, login } = await service.newMerchant()
  const owner = await signedIn(service.baseUrl, login)
  const viewer = await signedIn(service.baseUrl, await service.newLogin(merchant, 'viewer'))
  for (const language of ['es', 'en', null]) await owner.ask('account', { method: 'PATCH', json: { language } })
  await owner.ask('team/members/nobody%40example.com', { method: 'DELETE' })
  await owner.ask(`team/members/${login.email}`, { method: 'DELETE' })
  const list = async (query: string) => (await viewer.ask(`changes?${query}`)).json
  const [newest] = await list('')
  assert.equal(newest.action, 'member_removed')
  assert.deepEqual([newest.by, newest.role, newest.about, newest.status], [login.email, 'owner', login.email, 409])
  assert.deepEqual([(await list(''))[1].about, (await list(''))[1].status], [null, 404], 'nobody of theirs')
  const changed = await list(`action=account_changed&by=${login.email.toUpperCase()}`)
  assert.deepEqual(
    changed.map((each: { detail: object }) => each.detail),
    [{ language: null }, { language: 'en' }, { language: 'es' }],
  )
  assert.equal((await list(`about=${login.email}`)).length, 1)
  assert.deepEqual(await list('created_after=2999-01-01T00:00:00Z'), [])
  const page = await viewer.ask('changes?limit=2')
  const next = /after=([\w-]+)/.exec(page.headers.get('link') ?? '')?.[1]
  assert.equal(page.json.length, 2)
  assert.deepEqual(await list(`limit=2&after=${next}`), (await list('')).slice(2, 4))
})

test('what an application sets with its key is in the audit log, and what it sells is not', async () => {
  const shop = await service.newMerchant()
  const owner = await signedIn(service.baseUrl, shop.login)
  const key = Buffer.from(shop.authorization.split(' ')[1] ?? '', 'base64')
    .toString()
    .split(':')[0]
  await shop.makeOffer()
  const refused = await shop.ask('hook_endpoints', {
    form: { kind: 'error', url: 'https://user:secret@bells.example' },
  })
  assert.equal(refused.status, 422)
  const added = await shop.ask('hook_endpoints', {
    form: { kind: 'error', url: 'http://127.0.0.1:9/hooks?token=4711' },
  })
  const listens = await shop.ask('hook_listeners', { form: { name: 'laptop' } })
  const listener = listens.json.hook_listener.id
  type Shown = { readonly [name: string]: unknown }
  const changes = (await owner.ask(`changes?by=${key}`)).json as Shown[]
  const shown = changes.map(({ action, role, about, detail, status }) => ({ action, role, about, detail, status }))
  const url = 'http://127.0.0.1:9/hooks'
  const { id } = added.json.hook_endpoint
  assert.deepEqual(shown, [
    { action: 'listener_started', role: null, about: listener, detail: { name: 'laptop' }, status: 200 },
    { action: 'endpoint_added', role: null, about: id, detail: { kind: 'error', url }, status: 200 },
    { action: 'endpoint_added', role: null, about: null, detail: {}, status: 422 },
  ])
})

test('an operator helps somebody who has lost everything, on record', async t => {
  const { login } = await service.newMerchant()
  await withSecondFactor(await signedIn(service.baseUrl, login), login)
  const environment = {
    ...{ DATABASE_URL: service.database.url, TILLBELL_DATA: service.dataFolder, TILLBELL_LOG: 'error' },
  }
  const words = ['login', 'reset', login.email.toUpperCase(), '--second-factor-off']
  const { code, stdout } = await tillbell(t, words, environment)
  assert.equal(code, 0)
  assert.ok(stdout.includes(`${service.baseUrl}/dashboard/reset#`), stdout)
  const visitor = stranger(service.baseUrl)
  assert.equal((await post(visitor, 'password/reset', { link: linkIn(stdout), password: fresh })).status, 204)
  assert.equal((await visitor.signIn({ email: login.email, password: fresh })).status, 200)
  const changes = (await visitor.ask('changes?by=command%20line')).json as { action: string; about: string }[]
  assert.deepEqual(
    changes.map(({ action, about }) => [action, about]),
    [
      ['reset_link_made', login.email],
      ['second_factor_turned_off', login.email],
    ],
  )
})
