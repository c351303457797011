// The command line: what each command says, how it refuses, and that it works alone or beside a running service.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, type TestContext, test } from 'node:test'
import { answered } from './support/answers.ts'
import { clientOf, demoSheet, refusedWith, type Sheet, serve, stopped, tillbell, tillbells } from './support/command.ts'
import { emptyDatabase, type TestDatabase } from './support/database.ts'
import { spawnTillbell } from './support/process.ts'
import { emptyFolder, noneIsLeftIn } from './support/temporary-folder.ts'

const commands = {
  trigger: [
    'KIND',
    '--amount AMOUNT',
    '--offer ID',
    '--url URL',
    '--key KEY',
    '--secret SECRET',
    '--json',
    'dispute  ',
  ],
  verify: ['--body FILE', '--details FILE', '--signature TEXT', '--key-file FILE', '--key KEY', '--json'],
  version: ['--json'],
  serve: [],
  migrate: ['--json'],
  'secret-key status': ['--json'],
  'secret-key reseal': ['--json'],
  'merchant create': ['--name NAME', '--email EMAIL', '--json'],
  'merchant list': ['--json'],
  'key create': ['--merchant ID', '--json'],
  'key revoke': ['API_KEY', '--json'],
  'private-key list': ['--merchant ID', '--json'],
  'private-key create': ['--merchant ID', '--json'],
  'private-key make-current': ['KEY', '--merchant ID', '--json'],
  'private-key delete': ['KEY', '--merchant ID', '--compromised', '--json'],
  'hooks list': [
    '--merchant ID',
    '--state STATE',
    '--kind KIND',
    '--endpoint ID',
    '--transaction ID',
    '--limit NUMBER',
  ],
  'hooks show': ['ID', '--merchant ID', '--json'],
  'hooks resend': ['ID', '--merchant ID', '--json'],
  'customer erase': ['--merchant ID', '--email EMAIL', '--json'],
  audit: ['--merchant ID', '--json'],
  'sandbox-gateway': ['--port PORT', '--json'],
  'clock advance': ['DURATION', '--json'],
}

/** What demo.json promises. */
const sheetKeys = [
  ...['base_url', 'merchant', 'partner', 'partner_id', 'api_key', 'api_secret', 'private_key', 'public_key'],
  ...['service_public_key', 'gateway', 'offer', 'card', 'mail_domain', 'mail_port', 'dashboard', 'inbox_url'],
]

let database: TestDatabase
before(async () => {
  database = await emptyDatabase()
})
after(() => database.drop())

const nowhere = { DATABASE_URL: 'postgres://tillbell@127.0.0.1:1/tillbell' }

async function json(t: TestContext, words: readonly string[], environment: { [name: string]: string }) {
  const { code, stdout, stderr } = await tillbell(t, [...words, '--json'], { TILLBELL_LOG: 'error', ...environment })
  assert.equal(code, 0, stderr)
  assert.equal(stderr, '')
  assert.match(stdout, /^[^\n]+\n$/)
  return JSON.parse(stdout)
}

const noProc = process.platform === 'linux' ? false : 'only Linux has a folder that takes none'

const createWords = (email: string) => ['merchant', 'create', '--name', 'Shop', '--email', email]

test('every command says how it is used, whatever the configuration', async t => {
  const wrong = { TILLBELL_MODE: 'nonsense' }
  for (const [words, code] of [
    [['--help'], 0],
    [['help'], 0],
    [[], 2],
  ] as const) {
    const overview = await tillbell(t, words, wrong)
    assert.equal(overview.code, code)
    for (const name of Object.keys(commands)) assert.match(overview.stdout, new RegExp(`^ {2}tillbell ${name} `, 'm'))
  }
  const words = Object.keys(commands).map(name => [...name.split(' '), '--help'])
  const helps = await tillbells(t, words, wrong)
  for (const [index, [name, says]] of Object.entries(commands).entries()) {
    const { code, stdout, stderr } = helps[index] ?? assert.fail()
    assert.deepEqual([code, stderr], [0, ''])
    assert.ok(stdout.startsWith(`Usage: tillbell ${name}`), stdout)
    for (const each of says) assert.ok(stdout.includes(each), `${name} does not say ${each}`)
    assert.match(stdout, /Exit codes: 0 done, .*2 wrong usage, 3 .*4 not found\./)
  }
})

test('where nobody reads what a command says, it says no more, and shows no stack', async () => {
  const child = spawnTillbell(['help'], {})
  child.stdout.destroy()
  const [complained, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  assert.deepEqual([code, complained], [0, ''])
})

test('it says its version, however one asks', async t => {
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../package.json'), 'utf8'))
  const said = await tillbells(t, [['--version'], ['-v'], ['version'], ['version', '--json']], {})
  const line = `tillbell ${version} (Node ${process.versions.node}, PostgreSQL 18.4 bundled)\n`
  const json = `${JSON.stringify({ tillbell: version, node: process.versions.node, postgresql: '18.4' })}\n`
  assert.deepEqual(
    said.map(({ code, stdout }) => [code, stdout]),
    [line, line, line, json].map(text => [0, text]),
  )
})

test('help, and the name of a command or a group, is the help of that', async t => {
  const [listen, create, group, unknown] = await tillbells(
    t,
    [
      ['help', 'listen'],
      ['help', 'merchant', 'create'],
      ['help', 'merchant'],
      ['help', 'lissen'],
    ],
    nowhere,
  )
  assert.match(listen?.stdout ?? '', /^Usage: tillbell listen \[options\]\n/)
  assert.match(create?.stdout ?? '', /^Usage: tillbell merchant create \[options\]\n/)
  assert.match(group?.stdout ?? '', /^ {2}tillbell merchant list /m)
  assert.doesNotMatch(group?.stdout ?? '', /tillbell listen/)
  assert.deepEqual([listen?.code, create?.code, group?.code], [0, 0, 0])
  refusedWith(unknown ?? assert.fail(), 2, /no command "lissen"\. Did you mean "tillbell listen"\?/)
})

test('the name of a group alone says what is in the group', async t => {
  const groups = ['merchant', 'key', 'private-key', 'hooks', 'customer', 'clock']
  const said = await tillbells(
    t,
    groups.map(group => [group]),
    nowhere,
  )
  for (const [index, group] of groups.entries()) {
    const { code, stdout, stderr } = said[index] ?? assert.fail()
    assert.deepEqual([code, stderr], [2, ''])
    const own = Object.keys(commands).filter(name => name.startsWith(`${group} `))
    const shown = [...stdout.matchAll(/^ {2}tillbell ([a-z -]*\S) {2}/gm)].map(([, name]) => name?.trim())
    assert.deepEqual(shown, own)
  }
})

test('wrong usage is one sentence and exit code 2', async t => {
  const wrong: [string[], RegExp][] = [
    [['nonsense'], /no command "nonsense"/],
    [['merchant', 'nonsense'], /no command "merchant nonsense"/],
    [['verfiy', '--json'], /no command "verfiy"\. Did you mean "tillbell verify"\?/],
    [['marchant', 'create', '--name', 'A'], /Did you mean "tillbell merchant create"\?/],
    [['merchant', 'create'], /--name is required/],
    [['merchant', 'create', '--name', '--json'], /--name/],
    [['merchant', 'create', '--name', ' ', '--email', 'a@example.com'], /--name must not be empty/],
    [['merchant', 'create', '--name', 'A', '--email', 'nobody'], /--email must be an email address/],
    [['merchant', 'list', 'extra'], /takes no arguments/],
    [['serve', '--port', '80'], /--port.*TILLBELL_PORT/],
    [['key', 'revoke'], /takes API_KEY/],
    [['customer', 'erase', '--merchant', 'm_x'], /--email is required/],
    [['private-key', 'create'], /--merchant is required\. tillbell merchant list shows them\./],
    [['private-key', 'delete', '--merchant', 'm_x'], /takes KEY/],
    [['hooks', 'show', '--merchant', 'm_x'], /takes ID/],
    [['hooks', 'list', '--merchant', 'm_x', '--state', 'sent'], /--state must be one of pending, /],
    [['hooks', 'list', '--merchant', 'm_x', '--kind', 'sale'], /--kind must be one of pre_sale, /],
    [['hooks', 'list', '--merchant', 'm_x', '--endpoint', 'x'], /--endpoint must be an id/],
    [['hooks', 'list', '--merchant', 'm_x', '--limit', '101'], /--limit must be a number from 1 to 100/],
    [['clock', 'advance', '5'], /DURATION must be/],
    [['clock', 'advance', '366d'], /DURATION must be/],
    [['clock', 'advance', '-5m'], /DURATION must be/],
    [['clock', 'advance', '--json', '-5m'], /DURATION must be/],
    [['clock', 'advance', '-x'], /Unknown option '-x'/],
    [['hooks', 'list', '--merchant', 'm_x', '--limit', '-5'], /--limit must be a number from 1 to 100/],
    [['sandbox-gateway', '--port', '65536'], /--port must be/],
    [['listen', '--forward-to'], /^--forward-to needs a value: --forward-to URL\. Where your app/],
    [['listen', '--forward-to', '3000', '--forward-to', '3001'], /^--forward-to is given more than once/],
    [['listen', '--foward-to', '3000'], /Did you mean --forward-to\?/],
    [['trigger'], /takes KIND, one of pre_sale, transaction, /],
    [['trigger', 'update'], /Did you mean refund, void, dispute\? It must be one of pre_sale, /],
    [['trigger', 'Transaction'], /Did you mean transaction\?/],
    [['trigger', 'presale'], /Did you mean pre_sale\?/],
  ]
  const refusals = await tillbells(
    t,
    wrong.map(([words]) => words),
    nowhere,
  )
  for (const [index, [, says]] of wrong.entries()) refusedWith(refusals[index] ?? assert.fail(), 2, says)
})

test('what the operator set wrongly is one sentence that names it, and exit code 3', async t => {
  const folder = await emptyFolder(t)
  const [file, garbage] = [join(folder, 'file'), join(folder, 'garbage')]
  await writeFile(file, 'not PEM')
  await mkdir(garbage)
  await writeFile(join(garbage, 'secret.key'), 'half a k')
  const url = database.url
  const other = new URL(url)
  other.pathname = '/no_such_database'
  assert.equal((await tillbell(t, ['migrate'], { DATABASE_URL: url, TILLBELL_DATA: folder })).code, 0)
  const key = Buffer.alloc(32, 1).toString('base64')
  const tls = {
    DATABASE_URL: url,
    TILLBELL_DATA: folder,
    TILLBELL_PORT: '0',
    TILLBELL_METRICS_PORT: '0',
    TILLBELL_MAIL_PORT: '0',
  }
  const wrong: [string, { [name: string]: string }, RegExp][] = [
    ['serve', { TILLBELL_PORT: '80 80' }, /TILLBELL_PORT must be/],
    ['serve', { TILLBELL_PROT: '80' }, /TILLBELL_PROT is not a variable/],
    ['migrate', { DATABASE_URL: 'mysql://localhost' }, /DATABASE_URL must be/],
    ['migrate', { ...nowhere, TILLBELL_DATA: folder }, /DATABASE_URL leads to no PostgreSQL/],
    ['migrate', { DATABASE_URL: 'postgres:///x?host=/nowhere', TILLBELL_DATA: folder }, /DATABASE_URL leads to no/],
    ['migrate', { DATABASE_URL: other.href, TILLBELL_DATA: folder }, /DATABASE_URL names a database/],
    ['migrate', { DATABASE_URL: url, TILLBELL_DATA: file }, /TILLBELL_DATA .*cannot be used/],
    ['migrate', { DATABASE_URL: url, TILLBELL_DATA: garbage }, /secret\.key does not hold a key/],
    ['migrate', { DATABASE_URL: url, TILLBELL_SECRET_KEY: key }, /does not open with this TILLBELL_SECRET_KEY/],
    ['serve', { ...tls, TILLBELL_TLS_CERT: file }, /TILLBELL_TLS_KEY go together/],
    ['serve', { ...tls, TILLBELL_TLS_CERT: join(folder, 'none'), TILLBELL_TLS_KEY: file }, /TILLBELL_TLS_CERT names/],
    ['serve', { ...tls, TILLBELL_TLS_CERT: file, TILLBELL_TLS_KEY: file }, /TILLBELL_TLS_CERT and .*must name/],
    ['serve', { ...tls, TILLBELL_HOST: '203.0.113.1' }, /TILLBELL_HOST 203\.0\.113\.1 is not an address/],
    ['serve', { TILLBELL_METRICS_HOST: '203.0.113.1' }, /TILLBELL_METRICS_HOST 203\.0\.113\.1 is not an address/],
  ]
  for (const [word, environment, says] of wrong) {
    refusedWith(await tillbell(t, [word], { TILLBELL_LOG: 'error', ...environment }), 3, says)
  }
})

test('a data folder that nothing can be made in is refused, and not tried for ever', { skip: noProc }, async t => {
  const says = /^TILLBELL_DATA \/proc\/no\/data cannot be used: no folder can be made in \/proc\.$/m
  for (const where of [{}, { DATABASE_URL: database.url }])
    refusedWith(await tillbell(t, ['migrate'], { TILLBELL_DATA: '/proc/no/data', ...where }), 3, says)
})

test('a file that is not there and a port that is in use are said in words', async t => {
  refusedWith(
    await tillbell(t, ['mail', 'ingest', '/no/letter.eml'], nowhere),
    1,
    /^\/no\/letter\.eml does not exist\.$/m,
  )
  const taken = createServer()
  await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve))
  t.after(() => taken.close())
  const { port } = taken.address() as AddressInfo
  const says = new RegExp(`^--port ${port} is in use on 127\\.0\\.0\\.1\\. Choose another`)
  refusedWith(await tillbell(t, ['sandbox-gateway', '--port', String(port)], {}), 3, says)
})

test('where no service has left its data, a command says so, and leaves nothing behind', async t => {
  const folder = await emptyFolder(t)
  const at = { TILLBELL_DATA: join(folder, 'data'), TILLBELL_LOG: 'error' }
  for (const words of [
    ['clock', 'advance', '5m'],
    ['merchant', 'list'],
    ['hooks', 'list', '--merchant', 'm_x'],
  ]) {
    const says = /^There is no data of a service in \S+\/data.* TILLBELL_DATA or DATABASE_URL .*--url/
    refusedWith(await tillbell(t, words, at), 3, says)
  }
  assert.deepEqual(await readdir(folder), [])
})

test('a merchant, a key and a customer are managed beside a running service on the same DATABASE_URL', async t => {
  const TILLBELL_DATA = await emptyFolder(t)
  const shared = await emptyDatabase()
  const environment = { DATABASE_URL: shared.url, TILLBELL_DATA }
  const service = serve(t, { ...environment, TILLBELL_LOG: 'debug' })
  t.after(() => shared.drop())
  const baseUrl = await service.ready()
  const demo = await demoSheet(TILLBELL_DATA)
  assert.deepEqual(Object.keys(demo).sort(), sheetKeys.toSorted())

  const words = createWords('Owner@Example.com')
  const made: Sheet = await json(t, words, { ...environment, TILLBELL_BASE_URL: 'https://pay.example.com' })
  assert.deepEqual(Object.keys(made), Object.keys(demo))
  assert.deepEqual(
    [made.base_url, made.dashboard.email, made.offer, made.card, made.partner_id],
    ['https://pay.example.com', 'owner@example.com', null, null, Number(demo.partner_id) + 1],
  )
  for (const member of Object.keys(demo)) {
    if (demo[member] !== null && made[member] !== null) assert.equal(typeof made[member], typeof demo[member], member)
  }
  const client = clientOf(made, baseUrl)
  const card = await client.storeCard()
  answered(await client.charge(await client.makeOffer(), card), 200)
  refusedWith(await tillbell(t, createWords('OWNER@example.com'), environment), 2, /--email .*has a login already/)

  const list = await json(t, ['merchant', 'list'], environment)
  assert.deepEqual(
    list.map((row: object) => Object.keys(row)),
    [1, 2].map(() => ['merchant', 'partner_id', 'name', 'email', 'created_at']),
  )
  assert.deepEqual(
    list.map((row: Sheet) => row.merchant),
    [demo.merchant, made.merchant],
  )

  const pair = await json(t, ['key', 'create', '--merchant', made.merchant], environment)
  assert.deepEqual(Object.keys(pair), ['merchant', 'api_key', 'api_secret'])
  const second = clientOf({ ...made, ...pair }, baseUrl)
  answered(await second.ask('offers'), 200)
  const revoked = await json(t, ['key', 'revoke', pair.api_key], environment)
  assert.deepEqual(revoked, { merchant: made.merchant, api_key: pair.api_key, revoked: true })
  answered(await second.ask('offers'), 401)
  answered(await client.ask('offers'), 200)

  const customer = ['customer', 'erase', '--merchant', made.merchant, '--email', 'Ada@example.com']
  assert.deepEqual(await json(t, customer, environment), { erased: true })
  answered(await client.charge(await client.makeOffer(), card), 422)
  assert.deepEqual(await json(t, ['migrate'], environment), { version: await version(shared) })
  const { now } = await json(t, ['clock', 'advance', '1.5h'], environment)
  assert.match(now, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)

  const missing: [string[], RegExp][] = [
    [['key', 'create', '--merchant', 'm_nobody'], /no merchant m_nobody/],
    [['key', 'revoke', pair.api_key], /no such API key in force/],
    [customer, /no customer/],
    [['customer', 'erase', '--merchant', 'm_nobody', '--email', 'ada@example.com'], /no customer/],
  ]
  for (const [asked, says] of missing) refusedWith(await tillbell(t, asked, environment), 4, says)

  await stopped(service)
  const secrets = [demo, made, pair].flatMap(sheet => [sheet.api_secret, sheet.private_key, sheet.dashboard?.password])
  for (const secret of secrets.filter(each => each !== undefined)) {
    assert.ok(!service.logged().includes(secret), 'a secret is in the log')
  }
})

async function version({ sql }: TestDatabase): Promise<number> {
  const [row] = await sql<{ number: number }[]>`select max(number) as number from migration`
  return row?.number ?? 0
}

test('commands work on the embedded database, alone and beside a service', async t => {
  const TILLBELL_DATA = await emptyFolder(t)
  const environment = { TILLBELL_DATA }
  const text = await tillbell(t, createWords('shop@example.com'), environment)
  assert.equal(text.code, 0, text.stderr)
  const [, merchant = ''] = /^merchant: (m_\S{22})$/m.exec(text.stdout) ?? []
  assert.match(text.stdout, /^api_secret: sk_\S{43}$/m)
  assert.match(text.stdout, /^dashboard:\n {2}url: \S+\n {2}email: shop@example\.com\n {2}password: \S+$/m)
  await noneIsLeftIn(TILLBELL_DATA)

  const merchants = async () => (await json(t, ['merchant', 'list'], environment)) as Sheet[]
  assert.deepEqual(
    (await merchants()).map(row => row.merchant),
    [merchant],
  )
  const service = serve(t, environment)
  const baseUrl = await service.ready()
  assert.equal(service.printed().split('\n').at(-2), `Tillbell is at ${baseUrl}`)
  assert.doesNotMatch(service.printed(), /demo/, 'who has merchants gets no demo')
  const pair = await json(t, ['key', 'create', '--merchant', merchant], environment)
  const client = clientOf({ ...pair, base_url: baseUrl })
  answered(await client.ask('offers'), 200)
  await json(t, ['key', 'revoke', pair.api_key], environment)
  answered(await client.ask('offers'), 401)
  assert.match(
    (await tillbell(t, ['merchant', 'list'], environment)).stdout,
    new RegExp(`^${merchant} {2}1001 {2}Shop`),
  )
  await stopped(service)
  await noneIsLeftIn(TILLBELL_DATA)
})
