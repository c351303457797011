// The dashboard's files: how much a first visit loads, and how they are served.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startTestService } from './support/service.ts'

const service = await startTestService()
after(() => service.stop())

const firstLoadBytesMax = 250_000

function get(path: string, headers: { readonly [name: string]: string } = {}): Promise<Response> {
  return fetch(service.baseUrl + path, { headers: { 'Accept-Encoding': 'br', ...headers } })
}

/** What a file weighs on the wire. */
async function weight(path: string): Promise<number> {
  const answer = await get(path)
  assert.equal(answer.status, 200, path)
  await answer.arrayBuffer()
  return Number(answer.headers.get('content-length'))
}

async function filesIn(path: string, pattern: RegExp): Promise<string[]> {
  const text = await (await get(path)).text()
  return [...text.matchAll(pattern)].map(([, name = '']) => name)
}

const indexPath = '/dashboard/'
const named = /(?:src|href)="(\/dashboard\/[^"]+)"/g
const entryFiles = () => filesIn(indexPath, named)

/** With all that it imports, and what that imports. */
async function withImports(path: string, found = new Set<string>()): Promise<Set<string>> {
  if (found.has(path)) return found
  found.add(path)
  const names = await filesIn(path, /(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)
  for (const name of names) await withImports(`/dashboard/assets/${name}`, found)
  return found
}

test('the first visit loads less than 250 kB, with the home page', async () => {
  const files = new Set([indexPath, ...(await entryFiles())])
  const [entry = ''] = [...files].filter(file => /\/assets\/index-.*\.js$/.test(file))
  const [home = ''] = await filesIn(entry, /(assets\/home-[\w-]+\.js)/g)
  for (const file of [entry, `/dashboard/${home}`]) await withImports(file, files)
  const weights = await Promise.all([...files].map(weight))
  const bytes = weights.reduce((sum, each) => sum + each, 0)
  assert.ok(files.size >= 4 && bytes > 50_000, `${files.size} files of ${bytes} bytes were found`)
  assert.ok(bytes < firstLoadBytesMax, `${bytes} bytes`)
})

test('what has its content in its name is kept for good, the rest is asked for again', async () => {
  const files = await entryFiles()
  const assets = files.filter(file => file.startsWith('/dashboard/assets/'))
  assert.ok(assets.length >= 2)
  for (const file of assets) {
    const answer = await get(file)
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable', file)
  }
  for (const file of [indexPath, ...files.filter(file => !assets.includes(file))]) {
    assert.equal((await get(file)).headers.get('cache-control'), 'no-cache', file)
  }
})

test('a file comes in the encoding that the browser takes', async () => {
  const [script = ''] = (await entryFiles()).filter(file => file.endsWith('.js') && file.includes('/assets/'))
  const bodies: string[] = []
  for (const [accepted, encoding] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, br;q=0', 'gzip'],
    ['GZIP', 'gzip'],
    ['identity', null],
  ] as const) {
    const answer = await get(script, { 'Accept-Encoding': accepted })
    assert.equal(answer.headers.get('content-encoding'), encoding, accepted)
    assert.equal(answer.headers.get('vary'), 'Accept-Encoding')
    assert.equal(answer.headers.get('content-type'), 'text/javascript; charset=utf-8')
    bodies.push(await answer.text())
  }
  assert.equal(new Set(bodies).size, 1)
})

test('every address below /dashboard is the application, under a strict policy', async () => {
  const index = await (await get(indexPath)).text()
  for (const path of ['/dashboard', '/dashboard/', '/dashboard/transactions/tx_1?q=a', '/dashboard/assets']) {
    const answer = await get(path)
    assert.equal(answer.status, 200, path)
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.equal(await answer.text(), index)
    const policy = answer.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /unsafe/)
    assert.equal(answer.headers.get('referrer-policy'), 'same-origin')
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(answer.headers.get('cross-origin-opener-policy'), 'same-origin')
    assert.match(answer.headers.get('permissions-policy') ?? '', /camera=\(\)/)
  }
  assert.doesNotMatch(index, /<style|style=|<script>|\son\w+=/)
})

test('a file of a build before this one is not there, and nothing outside the build ever is', async () => {
  for (const path of ['/dashboard/assets/index-00000000.js', '/dashboard/assets/..%2f..%2f..%2fpackage.json']) {
    assert.equal((await get(path)).status, 404, path)
  }
  for (const path of ['/dashboard/..%2f..%2fstamp', '/dashboard/stamp', '/dashboard/index.html.br']) {
    const answer = await get(path)
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8', path)
  }
})
