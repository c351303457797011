// The docs of a running service: every page is there, every link, picture and heading that a page names leads somewhere, and
// nothing outside of the folder comes out.

import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { request } from 'node:http'
import { resolve } from 'node:path'
import { after, test } from 'node:test'
import { startTestService } from './support/service.ts'

const service = await startTestService()
after(() => service.stop())
const { baseUrl } = service

const docs = resolve(import.meta.dirname, '../../docs')
const files = (await readdir(docs, { recursive: true })).filter(name => name.endsWith('.md'))
const addresses = files.map(name => `/docs/${name.replace(/(^|\/)README\.md$/, '').replace(/\.md$/, '')}`)
/** With the guide of the sdk, which lies with the sdk. */
const pages = [...addresses.map(address => address.replace(/\/$/, '')), '/docs/sdk']

interface Got {
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

const known = new Map<string, Promise<Got>>()

/** As a browser: each address is asked for once. */
function visit(path: string): Promise<Got> {
  const asked = known.get(path) ?? get(path, { accept: 'text/html,*/*' })
  known.set(path, asked)
  return asked
}

async function get(path: string, headers: { [name: string]: string } = {}): Promise<Got> {
  const answer = await fetch(`${baseUrl}${path}`, { headers, redirect: 'manual' })
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

/** `fetch` would tidy the path up before it sends it. */
function getExactly(path: string): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((done, fail) => {
    const asked = request({ hostname, port, path, headers: { accept: 'text/html' } }, async answer => {
      const text = (await answer.toArray()).join('')
      done({ status: answer.statusCode ?? 0, text })
    })
    asked.on('error', fail)
    asked.end()
  })
}

const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found)

test('every file is a page, with a title of its own', async () => {
  assert.ok(pages.length > 20)
  const titles = await Promise.all(
    pages.map(async page => {
      const { status, text, headers } = await visit(page)
      assert.equal(status, 200, page)
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
      assert.equal(all(text, /(<h1)[ >]/g).length, 1, page)
      return all(text, /<title>(.*?)<\/title>/g)[0]
    }),
  )
  assert.deepEqual(
    titles.filter((title, at) => titles.indexOf(title) !== at),
    [],
  )
})

test('every page is in the sidebar, once, and the sidebar leads to nothing else', async () => {
  const { text } = await visit('/docs')
  const sidebar = /<nav class="sidebar"[\s\S]*?<\/nav>/.exec(text)?.[0] ?? ''
  assert.deepEqual(all(sidebar, /href="([^"]+)"/g).toSorted(), pages.filter(page => page !== '/docs').toSorted())
})

test('every link, picture and heading that a page names is there', async () => {
  let checked = 0
  for (const page of pages) {
    const { text } = await visit(page)
    for (const target of new Set(all(text, /(?:href|src)="([^"]+)"/g))) {
      if (/^(https?|mailto|data):/.test(target)) continue
      const { pathname, hash } = new URL(target, `${baseUrl}${page}`)
      const found = await visit(pathname)
      assert.equal(found.status, 200, `${page} leads to ${target}`)
      if (hash !== '') assert.ok(found.text.includes(` id="${hash.slice(1)}"`), `${page} names a heading ${target}`)
      checked += 1
    }
  }
  assert.ok(checked > 500)
})

test('a page lets in nothing but our own files, and is not fetched twice', async () => {
  const { headers } = await visit('/docs/hooks')
  const policy = headers.get('content-security-policy') ?? ''
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.doesNotMatch(policy, /unsafe|https?:/)
  const again = await get('/docs/hooks', { 'if-none-match': headers.get('etag') ?? '' })
  assert.deepEqual([again.status, again.text], [304, ''])
  // A proxy that packs a page makes its mark a weak one; a browser may know several.
  for (const path of ['/docs/hooks', '/docs/api', '/docs/schemas/hook-transaction.json']) {
    const etag = (await visit(path)).headers.get('etag') ?? ''
    const known = await get(path, { 'if-none-match': `"older", W/${etag}` })
    assert.deepEqual([known.status, known.text], [304, ''], path)
    assert.equal((await get(path, { 'if-none-match': 'W/"older"' })).status, 200, path)
  }
  const reference = (await visit('/docs/api')).headers.get('content-security-policy') ?? ''
  assert.doesNotMatch(reference, /unsafe|https?:/)
  assert.match((await visit('/docs')).text, /<script src="[^"]+" defer><\/script>/)
  for (const page of pages) assert.doesNotMatch((await visit(page)).text, /<script>|<style|\sstyle="|\son\w+="/, page)
})

test('whoever asks for the head alone, as checkers of links do, is told what is there', async () => {
  const [style = ''] = all((await visit('/docs')).text, /<link rel="stylesheet" href="([^"]+)"/g)
  for (const path of ['/docs', '/docs/api', '/docs/quick-start', '/docs/search?q=key', style]) {
    const head = await fetch(`${baseUrl}${path}`, { method: 'HEAD' })
    const { status, headers } = await visit(path)
    assert.deepEqual([head.status, await head.text()], [200, ''], path)
    for (const name of ['content-type', 'etag', 'cache-control', 'content-security-policy'])
      assert.equal(head.headers.get(name), headers.get(name), `${path} ${name}`)
    assert.equal(status, 200)
  }
  assert.equal((await fetch(`${baseUrl}/docs/nothing-of-ours`, { method: 'HEAD' })).status, 404)
})

test('a search finds headings before text, says where, and shows what was typed as text', async () => {
  const { text, status } = await visit('/docs/search?q=key+rotation')
  assert.equal(status, 200)
  const [first = ''] = all(text, /<li><a href="([^"]+)">Hooks: Key rotation<\/a>/g)
  assert.equal(first, '/docs/hooks#key-rotation')
  assert.ok(text.indexOf('Hooks: Key rotation') < text.indexOf('<mark>') || !text.includes('<mark>'))
  const odd = await visit(`/docs/search?q=${encodeURIComponent('<script>"\'(*')}`)
  assert.equal(odd.status, 200)
  assert.doesNotMatch(odd.text, /<script>"/)
  assert.match(odd.text, /Nothing was found/)
  assert.match((await visit('/docs/search')).text, /Type what you look for/)
  assert.equal((await visit('/docs/search?q=a&q=b')).status, 200)
})

test('a search finds requests, hooks and their fields, where the API reference shows them', async () => {
  const found = async (asked: string) => {
    const { text } = await visit(`/docs/search?q=${encodeURIComponent(asked)}`)
    return all(/<ol class="hits">[\s\S]*?<\/ol>/.exec(text)?.[0] ?? '', /<li><a href="([^"]+)">/g)
  }
  const make = '/docs/api#tag/offers/operation/makeOffer'
  assert.equal((await found('POST offers'))[0], make)
  assert.ok((await found('POST /api/v5/rest/offers')).includes(make))
  assert.ok((await found('card_mask')).includes('/docs/api#tag/transactions/operation/showTransaction'))
  assert.ok((await found('payment_method_mask')).includes('/docs/api#tag/hooks/paths/transaction/post'))
  // Where a guide speaks of it, the guide comes first.
  assert.equal((await found('key rotation'))[0], '/docs/hooks#key-rotation')
})

test('a search that finds nothing says what may have been meant', async () => {
  const { text } = await visit('/docs/search?q=hook+signiture')
  assert.match(text, /Did you mean <a href="\/docs\/search\?q=hook%20signature">hook signature<\/a>\?/)
  assert.doesNotMatch((await visit('/docs/search?q=xyzzyxyzzy')).text, /Did you mean/)
  assert.doesNotMatch((await visit(`/docs/search?q=${'s'.repeat(200)}`)).text, /Did you mean/)
})

test('where there is no page, a person is told so among the docs, and a program as everywhere', async () => {
  const person = await visit('/docs/nothing-of-ours')
  assert.deepEqual([person.status, person.headers.get('cache-control')], [404, 'no-store'])
  assert.match(person.text, /<h1>There is nothing here<\/h1>/)
  assert.match(person.text, /<nav class="sidebar"/)
  const program = await get('/docs/nothing-of-ours', { accept: 'application/json' })
  assert.deepEqual([program.status, JSON.parse(program.text)], [404, { errors: { general: 'There is nothing here.' } }])
  assert.equal((await visit('/docs/files/no-such/redoc.js')).status, 404)
})

test('no trick with a path brings out what is not of the docs', async () => {
  const tricks = [
    '../README.md',
    '..%2fREADME.md',
    '%2e%2e/package.json',
    '%2e%2e%2fpackage.json',
    '....//package.json',
    '..\\package.json',
    '..%5cpackage.json',
    'pictures/../../package.json',
    'pictures/..%2f..%2fpackage.json',
    '/etc/passwd',
    '%2fetc%2fpasswd',
    'hooks.md%00.png',
    'hooks%00',
    'pictures',
    'schemas/',
    '__proto__',
    'constructor',
  ]
  for (const trick of tricks) {
    const { status, text } = await getExactly(`/docs/${trick}`)
    assert.ok(status === 404 || status === 400, `${trick} is answered ${status}`)
    assert.doesNotMatch(text, /"workspaces"|root:x:|npm ci/, trick)
  }
})
