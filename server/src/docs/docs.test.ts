import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { nearest } from '../core/nearest.ts'
import { anchorMaker } from './anchors.ts'
import { highlighted } from './highlight.ts'
import { withoutMarkup } from './markup.ts'
import type { Described } from './operations.ts'
import { readPage, type Surroundings } from './read-page.ts'
import { indexed, search } from './search.ts'
import { openShelf } from './shelf.ts'
import { makeDocs } from './site.ts'

const around: Surroundings = {
  root: '/till',
  has: address =>
    ['', 'hooks', 'sdk', 'examples', 'gateways', 'gateways/stripe', 'pictures/form.png'].includes(address),
  size: () => ({ width: 3, height: 2 }),
}
const page = (markdown: string, file = 'hooks.md') => readPage(markdown, file, around)

test('headings are named as those who host Markdown name them', () => {
  const anchor = anchorMaker()
  const names = ['What `details` say', 'Verify it!', '404, and “more”', 'Verify it', 'Größe'].map(anchor)
  assert.deepEqual(names, ['what-details-say', 'verify-it', '404-and-more', 'verify-it-1', 'größe'])
})

test('code keeps every character, whatever its language', () => {
  const codes = {
    sh: 'curl -d "a=$(b \'c\')" "$url#x" # why & how\nif [ "$#" -gt 0 ]; then echo <no>; fi\n',
    ts: "const url = 'https://shop.example' // a comment with 'quotes'\nconst all = `a /* c */`\n/* two\nlines */ 5_000",
    json: '{"a": "x \\" // y", "b": [1.5, null]}',
    ini: '# one\nKEY=a#b\n; two\n',
    sql: "select 'it''s' -- so\nfrom t;",
    none: '<script>"\'&',
  }
  for (const [language, code] of Object.entries(codes)) {
    assert.equal(withoutMarkup(highlighted(code, language)), code, language)
  }
})

test('comments, strings and words are told apart', () => {
  const kinds = (code: string, language: string) =>
    [...highlighted(code, language).matchAll(/<span class="c-(\w+)">(.*?)<\/span>/gs)].map(([, kind, text = '']) => [
      kind,
      withoutMarkup(text),
    ])
  assert.deepEqual(kinds("const url = 'https://x' // why const\n", 'ts'), [
    ['word', 'const'],
    ['string', "'https://x'"],
    ['comment', '// why const'],
  ])
  assert.deepEqual(kinds('echo "a # b" $# #c', 'sh'), [
    ['string', '"a # b"'],
    ['comment', '#c'],
  ])
  assert.deepEqual(kinds('const a = 1', 'none'), [])
})

test('links lead to pages of the site, below its root; what is not of it is no link', () => {
  const link = (href: string, file = 'hooks.md') => /<p>(.*)<\/p>/.exec(page(`[x](${href})`, file).html)?.[1]
  assert.equal(link('gateways/stripe.md#keys'), '<a href="/till/docs/gateways/stripe#keys">x</a>')
  assert.equal(link('gateways/README.md'), '<a href="/till/docs/gateways">x</a>')
  assert.equal(link('../hooks.md', 'gateways/stripe.md'), '<a href="/till/docs/hooks">x</a>')
  assert.equal(link('README.md'), '<a href="/till/docs">x</a>')
  assert.equal(link('../examples/README.md'), '<a href="/till/docs/examples">x</a>')
  assert.equal(link('../sdk/README.md#once'), '<a href="/till/docs/sdk#once">x</a>')
  assert.equal(link('../docs/hooks.md', '../sdk/README.md'), '<a href="/till/docs/hooks">x</a>')
  assert.equal(link('#here'), '<a href="#here">x</a>')
  assert.equal(link('https://example.com/a?b&c'), '<a href="https://example.com/a?b&#38;c">x</a>')
  for (const outside of ['../README.md', '../hooks.md', '../server/src/main.ts', 'no-such.md', '../../etc/passwd'])
    assert.equal(link(outside), 'x', outside)
})

test('pictures have their size, tables can be scrolled, comments are not shown, and HTML is text', () => {
  const { html } = page(
    '![A form](pictures/form.png)\n\n<!-- code: run -->\n\n| a |\n|---|\n| b |\n\n<b onclick="x">hi</b>\n',
  )
  assert.match(html, /<img src="\/till\/docs\/pictures\/form.png" alt="A form" width="3" height="2" loading="lazy">/)
  assert.match(html, /<div class="scroll" tabindex="0"><table>/)
  assert.doesNotMatch(html, /code: run|<b/)
})

test('what is long may be folded, and nothing but the fold is let through', () => {
  const { html } = page(
    '<details>\n<summary>The <i>whole</i></summary>\n\n```json\n{}\n```\n\n</details>\n\n<details open>x\n',
  )
  assert.match(
    html,
    /^<details>\n<summary>The &#60;i&#62;whole&#60;\/i&#62;<\/summary>\s*<pre[\s\S]*<\/pre>\s*<\/details>/,
  )
  assert.match(html, /&#60;details open&#62;x/)
})

test('a search wants every word, puts headings first, and shows the words where they are', () => {
  const index = [
    ...indexed('a', page('# A\n\nWe rotate nothing.\n\n## Key rotation\n\nMake the next key.')),
    ...indexed('b', page('# B\n\nThe rotation of a wheel needs no key.\n\n## Other\n\nNothing.')),
  ]
  const found = search(index, ' KEY  rotation ')
  assert.deepEqual(
    found.map(({ address, heading }) => [address, heading?.anchor]),
    [
      ['a', 'key-rotation'],
      ['b', undefined],
    ],
  )
  assert.deepEqual(found[1]?.excerpt, ['The ', 'rotation', ' of a wheel needs no ', 'key', '.'])
  assert.deepEqual(search(index, 'key elephant'), [])
  assert.deepEqual(search(index, '  '), [])
  assert.deepEqual(search(index, '(.*'), [])
})

test('a search puts what speaks of it often first, and reasons behind what is done', () => {
  const index = [
    indexed('decisions/0001-a', page('# A\n\nRetries, retries, retries.')),
    indexed('b', page('# B\n\nRetries.')),
    indexed('c', page('# C\n\nRetries. Retries, and "may I" & <more>.')),
  ].flat()
  const addresses = search(index, 'retries').map(({ address }) => address)
  assert.deepEqual(addresses, ['c', 'b', 'decisions/0001-a'])
  assert.deepEqual(search(index, '"may')[0]?.excerpt, ['Retries. Retries, and ', '"may', ' I" & <more>.'])
})

test('a search cuts excerpts of what it shows alone, however many sections have the words', () => {
  let cut = 0
  const section = (heading: string) => ({
    heading: { depth: 2, text: heading, anchor: heading },
    get text() {
      cut += 1
      return 'The key.'
    },
  })
  const headings = [...Array(200).keys()].map(String)
  const index = indexed('a', { title: 'A', html: '', headings: [], sections: headings.map(section) })
  cut = 0
  assert.equal(search(index, 'key').length, 30)
  assert.equal(cut, 30)
})

test('the sidebar is what the index lists; a folder that is not there is no shelf', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillbell-docs-'))
  after(() => rmSync(folder, { recursive: true }))
  const none = join(folder, 'none')
  assert.equal(openShelf([none], []), null)
  writeFileSync(
    join(folder, 'README.md'),
    '# Docs\n\n## Start\n\n- [One](one.md): why\n- no link\n\n## Run\n\n- [Two](a/README.md)\n',
  )
  writeFileSync(join(folder, 'one.md'), '# 1')
  writeFileSync(join(folder, 'secret.txt'), 'no')
  const shelf = openShelf([none, folder], [none, join(folder, 'one.md')])
  assert.deepEqual(shelf?.groups, [
    { name: 'Start', places: [{ name: 'One', file: 'one.md', address: 'one' }] },
    { name: 'Run', places: [{ name: 'Two', file: 'a/README.md', address: 'a' }] },
  ])
  assert.deepEqual([...(shelf?.pages.keys() ?? [])].sort(), ['', 'one', 'sdk'])
  assert.equal(shelf?.files.size, 0)
})

test('the search index is made page by page, and other requests have their turn between', async () => {
  const read = { inThisTurn: 0, inOneTurnMost: 0 }
  const addresses = Array.from({ length: 10 }, (_, at) => `page-${at}`)
  const source = (address: string) => ({
    file: `${address}.md`,
    get markdown() {
      read.inThisTurn += 1
      read.inOneTurnMost = Math.max(read.inOneTurnMost, read.inThisTurn)
      return `# ${address}\n\nA word.`
    },
  })
  const shelf = {
    groups: [{ name: 'All', places: addresses.map(address => ({ address, file: `${address}.md`, name: address })) }],
    pages: new Map(addresses.map(address => [address, source(address)])),
    files: new Map(),
  }
  const docs = makeDocs(shelf, 'http://x', { described: () => ({ paths: {} }) as Described, nearest })
  let isOver = false
  const nextTurn = () => {
    read.inThisTurn = 0
    if (!isOver) setImmediate(nextTurn)
  }
  setImmediate(nextTurn)
  const found = await Promise.all([docs.searched('word'), docs.searched('word')])
  isOver = true
  for (const html of found) assert.match(html, /10 places/)
  assert.equal(read.inOneTurnMost, 1)
})

test('opening the docs reads no page but the index', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillbell-docs-'))
  after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'README.md'), '# Docs\n\n## All\n\n- [One](one.md)\n')
  writeFileSync(join(folder, 'one.md'), '# One')
  const shelf = openShelf([folder], [])
  writeFileSync(join(folder, 'one.md'), '# Changed before it was read')
  assert.equal(shelf?.pages.get('one')?.markdown, '# Changed before it was read')
})
