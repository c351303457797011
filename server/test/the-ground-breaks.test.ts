// What the machine and the network can do to a service that is not its fault: each is said in a sentence, nothing is lost by it, and it is over when
// the trouble is. (A full disk is in the-disk-is-full.test.ts, a database that goes away in the-database-fails-over.test.ts.)

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import tls from 'node:tls'
import { createMailer, type Mail } from '../src/mail/mailer.ts'
import { answered, refused } from './support/answers.ts'
import { createAuthority, expired } from './support/certificates.ts'
import { Client, encodeForm, send } from './support/client.ts'
import { demoSheet, demoSheetOnceMade, refusedWith, type Sheet, serve, stopped, tillbell } from './support/command.ts'
import { freshDatabase, type TestDatabase } from './support/database.ts'
import { connectFarGateway } from './support/far-gateway.ts'
import { freePort } from './support/free-port.ts'
import { startReceiver } from './support/hook-receiver.ts'
import { addEndpoint, removeEndpoints } from './support/merchant-endpoint.ts'
import { spawnService } from './support/process.ts'
import { atEnd, emptyFolder } from './support/temporary-folder.ts'
import { until } from './support/until.ts'

async function database(t: TestContext): Promise<TestDatabase> {
  const fresh = await freshDatabase()
  atEnd(t, () => fresh.drop())
  return fresh
}

/** One connection that stays, as a proxy's does. */
function overOneConnection(t: TestContext, baseUrl: string, { api_key, api_secret }: Sheet) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  return (form: { readonly [name: string]: string }) =>
    new Promise<number>((resolve, reject) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const auth = `${api_key}:${api_secret}`
      const request = http.request(`${baseUrl}/api/v5/rest/transactions`, { agent, auth, method: 'POST', headers })
      request.on('error', reject)
      request.on('response', response => response.resume().on('end', () => resolve(response.statusCode ?? 0)))
      request.end(encodeForm(form))
    })
}

/** Strangers who open connections and say nothing: more than are taken. Returns how they leave. */
async function crowd(t: TestContext, baseUrl: string, size: number): Promise<() => Promise<void>> {
  const sockets = Array.from({ length: size }, () => net.connect(Number(new URL(baseUrl).port), '127.0.0.1'))
  const leave = async () => {
    for (const socket of sockets) socket.destroy()
  }
  atEnd(t, leave)
  for (const socket of sockets) socket.on('error', () => {})
  await Promise.all(sockets.map(socket => Promise.race([once(socket, 'connect'), once(socket, 'close')])))
  await until('some are turned away', async () => sockets.some(({ closed }) => closed))
  return leave
}

test('out of file descriptors: no attempt is counted, nothing is in doubt, and all goes on when there are some again', {
  timeout: 120_000,
}, async t => {
  const { url, sql } = await database(t)
  const TILLBELL_DATA = join(await emptyFolder(t), 'data')
  const service = await spawnService({ DATABASE_URL: url, TILLBELL_DATA }, 'ulimit -n 100')
  atEnd(t, () => service.kill())
  const sheet = await demoSheetOnceMade(TILLBELL_DATA)
  const receiver = await startReceiver(sheet.private_key)
  atEnd(t, () => receiver.close())
  await removeEndpoints(sql)
  await addEndpoint(sql, sheet.merchant, { url: receiver.url.replace('127.0.0.1', 'localhost'), kind: 'generic' })
  const client = new Client(service.baseUrl, sheet.api_key, sheet.api_secret)
  const near = { service_offer: sheet.offer, token: sheet.card }
  const gateway = await connectFarGateway(client)
  const far = { service_offer: sheet.offer, token: await client.storeCard() }
  const charge = overOneConnection(t, service.baseUrl, sheet)
  assert.equal(await charge(near), 200)
  await until('its hook arrives', async () => receiver.accepted.size === 1)

  gateway.hangUp()
  const leave = await crowd(t, service.baseUrl, 150)
  assert.equal(await charge(near), 200)
  assert.equal(await charge(far), 502)
  const outcomes = await sql`select distinct outcome, cause from operation where outcome <> 'succeeded'`
  assert.deepEqual([...outcomes], [{ outcome: 'not_sent', cause: 'The connection to the sandbox failed (EMFILE).' }])
  await until('the log names the limit', async () => /hooks wait: .*ulimit -n/.test(service.logged()), 30_000)
  const attempts = () => sql`select from attempt where status is null`
  assert.equal((await attempts()).length, 0)

  await leave()
  const events = await sql`select from event`
  await until('what was owed arrives', async () => receiver.accepted.size === events.length, 30_000)
  assert.equal((await attempts()).length, 0)
  answered(await send(`${service.baseUrl}/healthz`, { method: 'GET', headers: {}, body: null }), 200)
  answered(await client.charge(sheet.offer, far.token), 200)
})

test('a log that cannot be written ends nothing: a full disk, a reader that is gone', { timeout: 120_000 }, async t => {
  const { url } = await database(t)
  const TILLBELL_DATA = join(await emptyFolder(t), 'data')
  const ports = { TILLBELL_METRICS_PORT: '0', TILLBELL_MAIL_PORT: '0' }
  for (const target of ['/dev/full', 'a closed pipe']) {
    const TILLBELL_PORT = String(await freePort())
    const env = { PATH: process.env.PATH, DATABASE_URL: url, TILLBELL_DATA, TILLBELL_PORT, ...ports }
    const full = target === '/dev/full' ? openSync(target, 'w') : ('pipe' as const)
    const program = join(import.meta.dirname, '../bin/tillbell.js')
    const child = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', full, full] })
    atEnd(t, async () => void child.kill('SIGKILL'))
    child.stdout?.destroy()
    child.stderr?.destroy()
    const healthy = () =>
      fetch(`http://127.0.0.1:${TILLBELL_PORT}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    await until(`it serves, with its log to ${target}`, healthy, 60_000)
    for (let requests = 0; requests < 20; requests++) assert.equal(await healthy(), true)
    assert.equal(child.exitCode, null)
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
})

test('what a command was to print and could not is a failure, and said', async () => {
  const program = join(import.meta.dirname, '../bin/tillbell.js')
  const child = spawn(process.execPath, [program, 'version'], { stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'] })
  const [[code], said] = await Promise.all([once(child, 'exit'), child.stderr?.setEncoding('utf8').toArray()])
  assert.deepEqual([code, said?.join('')], [1, 'What was printed could not be written (ENOSPC).\n'])
})

/** Speaks as much of PostgreSQL as comes before TLS. */
async function startDatabaseWith(t: TestContext, { cert, key }: { cert: string; key: string }): Promise<number> {
  const server = net.createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write('S')
      new tls.TLSSocket(socket, { isServer: true, cert, key }).on('error', () => {})
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

test('an expired certificate of the database is said at the start, with what to do', async t => {
  const authority = createAuthority('Bells')
  const port = await startDatabaseWith(t, authority.issue('127.0.0.1', expired()))
  const folder = await emptyFolder(t)
  const root = join(folder, 'root.pem')
  await writeFile(root, authority.cert)
  const ask = (at: number, more: string) =>
    tillbell(t, ['audit'], {
      DATABASE_URL: `postgres://tillbell@127.0.0.1:${at}/tillbell?sslmode=verify-full${more}`,
      TILLBELL_DATA: join(folder, 'data'),
    })
  refusedWith(await ask(port, `&sslrootcert=${root}`), 3, /TLS certificate has expired\. Renew it there\./)
  const other = await startDatabaseWith(t, authority.issue('127.0.0.1'))
  refusedWith(
    await ask(other, ''),
    3,
    /TLS certificate is of no trusted issuer\. Name its authority with sslrootcert=FILE\./,
  )
})

test('an expired certificate of the relay keeps mail, and is named; our own is said at the start', async t => {
  const authority = createAuthority('Bells')
  const pair = authority.issue('127.0.0.1', expired())
  const relay = tls.createServer(pair, socket => socket.on('error', () => {})).listen(0, '127.0.0.1')
  await once(relay, 'listening')
  t.after(() => relay.close())
  const send = createMailer(`smtps://127.0.0.1:${(relay.address() as AddressInfo).port}`, 'pay.example', null)
  const to = { name: 'Ada', address: 'ada@example.com' }
  const outcome = await send({ about: 'x', to, subject: 'A bell', text: 'It rings.' } as Mail)
  assert.deepEqual(outcome, { kind: 'not_now', cause: 'certificate has expired' })

  const { url } = await database(t)
  const folder = await emptyFolder(t)
  for (const [name, text] of Object.entries(pair)) await writeFile(join(folder, name), text)
  const tlsFiles = { TILLBELL_TLS_CERT: join(folder, 'cert'), TILLBELL_TLS_KEY: join(folder, 'key') }
  const service = serve(t, { DATABASE_URL: url, TILLBELL_DATA: join(folder, 'data'), ...tlsFiles })
  await service.ready()
  const said = service
    .entries()
    .filter(({ level, msg }) => level === 'error' && /TILLBELL_TLS_CERT has expired/.test(msg))
  assert.equal(said.length, 1)
  await stopped(service)
})

test('a process whose database a newer program migrates says so, and is not ready', async t => {
  const { url, sql } = await database(t)
  const service = serve(t, { DATABASE_URL: url, TILLBELL_DATA: join(await emptyFolder(t), 'data') })
  const ready = async () => send(`${await service.ready()}/readyz`, { method: 'GET', headers: {}, body: null })
  answered(await ready(), 200)
  await sql`insert into migration values (9000, '9000_of_the_future', now())`
  const { problem } = answered(await ready(), 503).json
  assert.match(
    problem,
    /^The database is at version 9000 now and this process knows versions up to \d+: .* Stop this process\.$/,
  )
  const isSaid = () => service.entries().some(({ level, msg }) => level === 'error' && msg === problem)
  await until('the log says so too', async () => isSaid())
  await sql`delete from migration where number = 9000`
  answered(await ready(), 200)
  await stopped(service)
})

test('a server that takes no writes is away, not a failure of each statement', async t => {
  const { url, sql } = await database(t)
  const TILLBELL_DATA = join(await emptyFolder(t), 'data')
  const service = serve(t, { DATABASE_URL: url, TILLBELL_DATA })
  const baseUrl = await service.ready()
  const sheet = await demoSheet(TILLBELL_DATA)
  const client = new Client(baseUrl, sheet.api_key, sheet.api_secret)
  const [named] = await sql<{ name: string }[]>`select current_database() as name`
  const turn = async (how: 'on' | 'off') => {
    // Over a session that was told otherwise: the database itself would refuse.
    const one = await sql.reserve()
    await one`set default_transaction_read_only = off`
    await one.unsafe(`alter database ${named?.name} set default_transaction_read_only = ${how}`)
    await one`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'tillbell %'`
    one.release()
  }
  await turn('on')
  const charged = await client.charge(sheet.offer, sheet.card, { key: 'once' })
  refused(charged, 503, ['general'])
  assert.equal(charged.headers['retry-after'], '2')
  const page = await fetch(`${baseUrl}/offers/${sheet.offer}`)
  assert.deepEqual([page.status, page.headers.get('retry-after')], [503, '2'])
  assert.match(await page.text(), /cannot reach our records at the moment/)
  refusedWith(
    await tillbell(t, ['migrate'], { DATABASE_URL: url, TILLBELL_DATA, TILLBELL_LOG: 'error' }),
    3,
    /takes no writes/,
  )
  await turn('off')
  await until('it charges', async () => (await client.charge(sheet.offer, sheet.card, { key: 'once' })).status === 200)
  assert.equal((await sql`select from transaction`).length, 1)
})
