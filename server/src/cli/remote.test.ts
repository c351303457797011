import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readConfig } from '../config.ts'
import { type Call, FailedError, UsageError } from './command.ts'
import { NotReachableError, refusalIn, remoteFrom } from './remote.ts'

async function callWith(
  t: TestContext,
  given: {
    readonly options?: { readonly [name: string]: string }
    readonly environment?: { readonly [name: string]: string }
    readonly demo?: object
  } = {},
): Promise<Call> {
  const folder = await mkdtemp(join(tmpdir(), 'tillbell-remote-'))
  t.after(() => rm(folder, { recursive: true }))
  if (given.demo !== undefined) await writeFile(join(folder, 'demo.json'), JSON.stringify(given.demo))
  const config = readConfig({ TILLBELL_DATA: folder, ...given.environment })
  return { config, log: null as never, options: given.options ?? {}, positionals: [], print: () => {} }
}

/** A server that answers all the same, and what it was asked. */
async function serverThat(t: TestContext, status: number, text: string, headers: { [name: string]: string } = {}) {
  const asked: { url?: string; authorization?: string; body: string }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    asked.push({ url: request.url ?? '', authorization: request.headers.authorization ?? '', body })
    response.writeHead(status, headers).end(text)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`

test('credentials come from options, else from the environment, else from demo.json', async t => {
  const { url, asked } = await serverThat(t, 200, '{"errors":null}')
  const demo = { base_url: url, api_key: 'demo', api_secret: 'd' }
  const environment = { TILLBELL_URL: `${url}/env/`, TILLBELL_API_KEY: 'env', TILLBELL_API_SECRET: 'e' }
  const options = { url: `${url}/opt`, key: 'opt', secret: 'o' }
  for (const given of [{ demo }, { demo, environment }, { demo, environment, options }]) {
    const remote = await remoteFrom(await callWith(t, given))
    await remote.ask('POST', '/things', { a: 1 })
  }
  assert.deepEqual(asked, [
    { url: '/api/v5/rest/things', authorization: basic('demo:d'), body: '{"a":1}' },
    { url: '/env/api/v5/rest/things', authorization: basic('env:e'), body: '{"a":1}' },
    { url: '/opt/api/v5/rest/things', authorization: basic('opt:o'), body: '{"a":1}' },
  ])
})

test('what is missing is named', async t => {
  const refused: readonly [Parameters<typeof callWith>[1], RegExp][] = [
    [{}, /^UsageError: No API key: give --key and --secret, .*demo\.json\.$/],
    [{ options: { key: 'k' } }, /go together: give --secret, or set TILLBELL_API_SECRET\.$/],
    [{ environment: { TILLBELL_API_SECRET: 's' } }, /go together: give --key, or set TILLBELL_API_KEY\.$/],
    [{ options: { key: 'k', secret: 's' } }, /Which service\? Give --url, or set TILLBELL_URL\.$/],
    [{ options: { url: 'ftp://a', key: 'k', secret: 's' } }, /--url must be a URL with http: or https:\.$/],
    [{ options: { url: '', key: 'k', secret: 's' } }, /--url must not be empty\.$/],
    [{ options: { url: 'http://localhost', key: 'sk_a', secret: 'pk_b' } }, /have they changed places\?$/],
  ]
  for (const [given, says] of refused) {
    const call = await callWith(t, given)
    await assert.rejects(
      remoteFrom(call),
      error => error instanceof UsageError && says.test(`UsageError: ${error.message}`),
    )
  }
})

test('an address with a query, a fragment or credentials is refused, wherever it comes from: the path would be lost in it', async t => {
  const own = { key: 'k', secret: 's' }
  const odd = [
    'http://a.example/x?y',
    'http://a.example/?',
    'https://a.example/#z',
    'https://a.example/#',
    'https://u:p@a.example',
    'https://u@a.example',
  ]
  for (const url of odd) {
    const byOption = await callWith(t, { options: { url, ...own } })
    await assert.rejects(remoteFrom(byOption), {
      message: '--url must be without a query, a fragment and credentials.',
    })
    const byVariable = await callWith(t, { options: own, environment: { TILLBELL_URL: url } })
    await assert.rejects(
      remoteFrom(byVariable),
      error =>
        error instanceof UsageError &&
        error.message === 'TILLBELL_URL must be without a query, a fragment and credentials.',
    )
  }
})

test('what demo.json says is for the service that it names, and for no other', async t => {
  const demo = { base_url: 'http://127.0.0.1:8080', api_key: 'demo', api_secret: 'd' }
  for (const given of [
    { options: { url: 'http://localhost:9' } },
    { environment: { TILLBELL_URL: 'https://a.example' } },
  ]) {
    await assert.rejects(
      async () => remoteFrom(await callWith(t, { demo, ...given })),
      /^Error: No API key for \S+: give --key and --secret, .* are for http:\/\/127\.0\.0\.1:8080\.$/,
    )
  }
  const own = { key: 'k', secret: 's' }
  await assert.rejects(
    async () => remoteFrom(await callWith(t, { demo, options: own })),
    /^Error: Which service\? .* If it is the sandbox of this folder, that is http:\/\/127\.0\.0\.1:8080\.$/,
  )
  const named = await remoteFrom(await callWith(t, { demo, options: { url: 'http://127.0.0.1:8080/' } }))
  assert.equal(named.baseUrl, 'http://127.0.0.1:8080')
})

test('a secret that goes to another machine in the open is warned of, on this machine or by https it is not', async t => {
  const warned: string[] = []
  const to = async (url: string) =>
    remoteFrom(await callWith(t, { options: { url, key: 'k', secret: 's' } }), sentence => void warned.push(sentence))
  for (const url of [
    'https://a.example',
    'http://127.1.2.3:8',
    'http://[::1]:8',
    'http://localhost',
    'http://a.localhost:8',
  ])
    await to(url)
  assert.deepEqual(warned, [])
  for (const url of ['http://a.example', 'http://10.0.0.1:8080', 'http://127.0.0.1.example', 'http://notlocalhost'])
    await to(url)
  assert.equal(warned.length, 4)
  assert.match(warned[0] ?? '', /^http:\/\/a\.example is not https: .* API secret\.$/)
})

async function remoteAt(t: TestContext, url: string) {
  return remoteFrom(await callWith(t, { options: { url, key: 'k', secret: 's' } }))
}

test('a refused key, a wrong address and a service that is away each say so', async t => {
  const refused = await serverThat(t, 401, '{"errors":{"general":"no"}}')
  await assert.rejects(async () => (await remoteAt(t, refused.url)).ask('GET', '/offers'), {
    message: `${refused.url} does not accept this API key and secret.`,
  })
  const other = await serverThat(t, 200, '<html>')
  await assert.rejects(async () => (await remoteAt(t, other.url)).ask('GET', '/offers'), FailedError)
  const proxy = await serverThat(t, 502, 'Bad Gateway')
  await assert.rejects(async () => (await remoteAt(t, proxy.url)).ask('GET', '/offers'), NotReachableError)
  const closed = createServer()
  await new Promise<void>(resolve => closed.listen(0, '127.0.0.1', resolve))
  const { port } = closed.address() as AddressInfo
  await new Promise(resolve => closed.close(resolve))
  await assert.rejects(
    async () => (await remoteAt(t, `http://127.0.0.1:${port}`)).ask('GET', '/offers'),
    (error: Error) => error instanceof NotReachableError && /nothing listens there/.test(error.message),
  )
  await assert.rejects(async () => (await remoteAt(t, 'http://127.0.0.1:1')).ask('GET', '/offers'), {
    message: 'http://127.0.0.1:1 is not reachable: its port is one of those that no HTTP client goes to.',
  })
})

test('where not even offers are known the address is wrong; where they are, the service just has no such thing', async t => {
  const nothing = '{"errors":{"general":"There is nothing here."}}'
  const page = await serverThat(t, 404, nothing)
  await assert.rejects(async () => (await remoteAt(t, `${page.url}/dashboard`)).ask('POST', '/hook_listeners', {}), {
    message: `${page.url}/dashboard does not answer as Tillbell does (status 404). Is that the service's address?`,
  })
  const live = createServer((request, response) => {
    const isKnown = request.url?.startsWith('/api/v5/rest/offers')
    response.writeHead(isKnown ? 200 : 404).end(isKnown ? '[]' : nothing)
  })
  await new Promise<void>(resolve => live.listen(0, '127.0.0.1', resolve))
  t.after(() => live.close())
  const remote = await remoteAt(t, `http://127.0.0.1:${(live.address() as AddressInfo).port}`)
  assert.equal((await remote.ask('POST', '/sandbox/cards', {})).status, 404)
})

test('what does not speak HTTP is not taken for a service', async t => {
  const other = createTcpServer(socket => void socket.end('220 mail.example ESMTP\r\n'))
  await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
  t.after(() => other.close())
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  await assert.rejects(async () => (await remoteAt(t, url)).ask('GET', '/offers'), /does not speak HTTP/)
})

test('a redirect is not followed: the secret goes nowhere else', async t => {
  const elsewhere = await serverThat(t, 200, '{"errors":null}')
  const moved = await serverThat(t, 302, '', { Location: elsewhere.url })
  await assert.rejects(async () => (await remoteAt(t, moved.url)).ask('GET', '/offers'), /status 302/)
  assert.deepEqual(elsewhere.asked, [])
})

test('a refusal is an answer, with its sentences in one line', async t => {
  const { url } = await serverThat(t, 422, '{"errors":{"kind":"kind is odd.","url":"url is odd."}}')
  const answer = await (await remoteAt(t, url)).ask('POST', '/things', {})
  assert.equal(refusalIn(answer), 'kind is odd. url is odd.')
  assert.equal(refusalIn({ status: 200, body: { errors: null } }), null)
})

test('a list comes as its rows, and what has no errors need not say so', async t => {
  const list = await serverThat(t, 200, '[{"id":"a"}]')
  assert.deepEqual((await (await remoteAt(t, list.url)).ask('GET', '/offers')).body, { rows: [{ id: 'a' }] })
  const card = await serverThat(t, 200, '{"card":{"service_token":"t"}}')
  const answer = await (await remoteAt(t, card.url)).ask('POST', '/sandbox/cards', {})
  assert.deepEqual([answer.body, refusalIn(answer)], [{ card: { service_token: 't' } }, null])
  const other = await serverThat(t, 404, '{"message":"no such page"}')
  await assert.rejects(async () => (await remoteAt(t, other.url)).ask('GET', '/offers'), /does not answer as Tillbell/)
})
