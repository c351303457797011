// No code block that was never run: each one with a language, on any page that we write for people who use Tillbell, is executed,
// type-checked or compared here, or by the test that is named. A language that nothing here knows fails. A block without one is
// output, or a template: what it names must be there.

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parseEnv } from 'node:util'
import { type HookKind, hookSchemas } from '@tillbell/sdk'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { readConfig } from '../src/config.ts'
import { answered } from './support/answers.ts'
import type { Document } from './support/client-types.ts'
import { type Block, blocksIn, blocksOf, nameOf, pagesWithCode, root } from './support/code-blocks.ts'
import { emptyDatabase } from './support/database.ts'
import { startTestService, type TestService } from './support/service.ts'
import { mailInboundSecret, runInShell } from './support/shell-blocks.ts'
import { looksLikeCode, wrongIn } from './support/shown-blocks.ts'
import { forgetTyped, runFile, typeCheck, writeTyped } from './support/typed-blocks.ts'

const found = (await Promise.all((await pagesWithCode()).map(blocksOf))).flat()
const [all, bare] = [found.filter(({ language }) => language !== ''), found.filter(({ language }) => language === '')]
const service = await startTestService({ TILLBELL_MAIL_INBOUND_SECRET: mailInboundSecret })
after(() => service.stop())

/** Pages whose blocks have a test of their own, which takes them from the page: all of a language, or so many. */
const ownTests: { readonly [page: string]: OwnTest } = {
  'README.md': { test: 'server/test/readme.test.ts', blocks: { sh: 'all', ts: 1 } },
  'docs/quick-start.md': { test: 'server/test/readme.test.ts', blocks: { sh: 4, js: 1 } },
  'docs/hooks.md': {
    test: 'server/test/hooks-verify-in-any-language.test.ts',
    blocks: { js: 2, php: 1, python: 1, ruby: 1 },
  },
}

interface OwnTest {
  readonly test: string
  readonly blocks: { readonly [language: string]: number | 'all' }
}

/** Said on the page instead: `<!-- code: run by server/test/….test.ts -->`. These do: they read the blocks, or start what the page starts. */
const testsThatRun = [
  'server/test/hooks-are-done-once.test.ts',
  'server/test/hooks-verify-in-any-language.test.ts',
  'server/test/the-embedded-database-is-backed-up.test.ts',
  'server/test/the-examples-run.test.ts',
]
const namedTest = (block: Block) => /^run by (\S+)$/.exec(block.says)?.[1] ?? null

/** A whole file of the repository, which a test of its own runs. */
const fileOf = (block: Block) => /^file ((?:deploy|examples)\/\S+)$/.exec(block.says)?.[1] ?? null

function isRunElsewhere(block: Block): boolean {
  return (
    namedTest(block) !== null || fileOf(block) !== null || ownTests[block.page]?.blocks[block.language] !== undefined
  )
}

const here = all.filter(block => !isRunElsewhere(block))
const inLanguage = (...languages: string[]) => here.filter(({ language }) => languages.includes(language))

/** How blocks of a language are tried. What is not here cannot be on a page. */
const tried = {
  typed: ['ts', 'tsx', 'js'],
  shell: ['sh'],
  json: ['json'],
  sql: ['sql'],
  settings: ['ini'],
}

test('every block is in a language that is tried, or has a test of its own', () => {
  assert.ok(all.length > 25, 'the blocks were found')
  const known = Object.values(tried).flat()
  assert.deepEqual(here.filter(({ language }) => !known.includes(language)).map(nameOf), [])
})

test('tests that are named for blocks take them from their page', async () => {
  for (const [page, { test: file, blocks }] of Object.entries(ownTests)) {
    const text = await readFile(join(root, file), 'utf8')
    assert.ok(text.includes(page), `${file} does not read ${page}`)
    for (const [language, count] of Object.entries(blocks)) {
      const found = all.filter(block => block.page === page && block.language === language)
      if (count !== 'all')
        assert.equal(found.length, count, `${language} blocks of ${page}: does ${file} run them all?`)
    }
  }
  for (const block of all) {
    const file = namedTest(block)
    if (file === null) continue
    assert.ok(testsThatRun.includes(file), `${nameOf(block)} names ${file}, which runs no blocks`)
    const text = await readFile(join(root, file), 'utf8')
    // By the page itself where the test reads it, by its folder where the test starts what the page starts.
    const about = block.page.replace(/\/README\.md$/, '').replace(/^examples\//, '')
    assert.ok(text.includes(about), `${file} knows nothing of ${about}, which says that it is run there`)
  }
})

async function openApi(): Promise<Document> {
  return (await (await fetch(`${service.baseUrl}/api/v5/openapi.json`)).json()) as Document
}

test('a block without a language is output, or a template that says why it does not run', () => {
  assert.ok(bare.length > 15, 'they were found')
  const silent = bare.filter(block => looksLikeCode(block) && !/^shown, .{10,}/.test(block.says))
  assert.deepEqual(silent.map(nameOf), [], 'give it its language, or say <!-- code: shown, why -->')
})

test('templates name commands, options, requests, arguments, scripts and files that there are', async () => {
  const document = await openApi()
  assert.deepEqual((await Promise.all(bare.map(block => wrongIn(block, document)))).flat(), [])
})

test('what is wrong in a template is found', async () => {
  const document = await openApi()
  const block = (text: string) => ({ page: 'examples/fastify/README.md', line: 1, language: '', says: '', text })
  const mistakes = [
    'tillbell lissen --forward-to 3000',
    '$ tillbell doubt lost',
    'A=b npx tillbell listen --forward 3000',
    'node --env-file=x /opt/bin/tillbell.js merchant make',
    'curl -u "$merchant" -d offer=x "$rest/transactions"',
    `curl -d '{"no": "such"}' \\\n  "$rest/gateways"`,
    'curl "$rest/moons"',
    'npm run fly',
    'node nowhere.js',
    'docker compose -f deploy/nowhere.yaml up',
    'docker compose run tillbell merchant make',
    'kubectl exec x -- node tillbell.js merchant make',
  ]
  for (const text of mistakes) assert.equal((await wrongIn(block(text), document)).length, 1, text)
  for (const text of ['tillbell audit', '{"a": 1}', "import 'x'", 'export A=b\nphp -S x index.php'])
    assert.ok(looksLikeCode(block(text)), text)
  for (const text of ['It is paid.', '$ tillbell audit\nNothing is wrong.'])
    assert.ok(!looksLikeCode(block(text)), text)
})

test('TypeScript and JavaScript fit what is published', async () => {
  after(forgetTyped)
  const written = await writeTyped(inLanguage(...tried.typed))
  assert.equal(await typeCheck(), '')
  for (const { block, file, runs } of written) if (runs) assert.equal(await runFile(file), '', nameOf(block))
})

test('JSON is JSON, and what it says it is', () => {
  const ajv = new Ajv2020({ allowUnionTypes: true })
  for (const block of inLanguage(...tried.json)) {
    const value = JSON.parse(block.text)
    const [, kind] = /^hook (\w+)$/.exec(block.says) ?? []
    if (kind === undefined) continue
    assert.ok(ajv.validate(hookSchemas[kind as HookKind], value), `${nameOf(block)}: ${ajv.errorsText()}`)
  }
})

test('what a shell is given runs, page by page, against a sandbox', async () => {
  const blocks = inLanguage(...tried.shell)
  assert.deepEqual(blocks.filter(({ text }) => text.includes('…')).map(nameOf), [], 'a template has no language')
  const pages = Map.groupBy(blocks, ({ page }) => page)
  assert.ok(pages.size > 3)
  const failed: string[] = []
  for (const [page, own] of pages) {
    const { code, printed, last } = await runInShell(service, own)
    if (code !== 0) failed.push(`${page} ended with ${code} at ${last}:\n${printed}`)
    await withoutNewEndpoints(service)
  }
  assert.deepEqual(failed, [])
})

/** A page may make an endpoint where nobody listens: it must not stop the sales of the next page. The demo's own leads to its inbox. */
async function withoutNewEndpoints({ demo }: TestService): Promise<void> {
  const { json } = answered(await demo.ask('hook_endpoints'), 200)
  for (const { id, url } of json as { id: string; url: string }[])
    if (!url.includes('/inbox/')) answered(await demo.ask(`hook_endpoints/${id}`, { method: 'DELETE' }), 200)
}

test('SQL runs', async () => {
  const database = await emptyDatabase()
  const name = `blocks_${process.pid}`
  try {
    for (const block of inLanguage(...tried.sql)) {
      // Under names of our own: the database of whoever runs this may have a Tillbell.
      const statements = block.text
        .replaceAll('tillbell', name)
        .split(';\n')
        .filter(each => each.trim() !== '')
      for (const statement of statements) await database.sql.unsafe(statement)
    }
  } finally {
    await database.sql.unsafe(`drop database if exists ${name}`)
    await database.sql.unsafe(`drop role if exists ${name}`)
    await database.drop()
  }
})

test('settings are taken', () => {
  for (const block of inLanguage(...tried.settings)) {
    assert.equal(block.says, 'settings', `${nameOf(block)} is neither settings nor a file`)
    const key = Buffer.alloc(32).toString('base64')
    const settings = parseEnv(block.text) as { [name: string]: string }
    assert.equal(readConfig({ ...settings, TILLBELL_SECRET_KEY: key }).mode, 'live')
  }
})

test('files are those of deploy/ and of examples/, which have tests of their own', async () => {
  const files = all.filter(block => fileOf(block) !== null)
  assert.ok(files.length > 6)
  for (const block of files) {
    const file = fileOf(block) ?? ''
    const text = await readFile(join(root, file), 'utf8')
    if (process.env.UPDATE_DOCS === '1') await putInPlace(block, text)
    else assert.equal(block.text, text, `${nameOf(block)} is not ${file}: UPDATE_DOCS=1 brings it over`)
  }
})

async function putInPlace({ page, says, language }: Block, text: string): Promise<void> {
  const path = join(root, page)
  const begin = `<!-- code: ${says} -->\n\`\`\`${language}\n`
  const [before = '', behind = ''] = (await readFile(path, 'utf8')).split(begin)
  await writeFile(path, `${before}${begin}${text}${behind.slice(behind.indexOf('```'))}`)
}

test('blocks are found wherever they stand, with what is said of them', () => {
  const page = [
    '<!-- code: run with keys -->',
    '```ts',
    'a',
    '```',
    '- in a list',
    '  ```sh',
    '  b',
    '    c',
    '  ```',
    '```',
    'd',
    '```',
  ]
  assert.deepEqual(blocksIn('p.md', page.join('\n')), [
    { page: 'p.md', line: 2, language: 'ts', text: 'a\n', says: 'run with keys' },
    { page: 'p.md', line: 6, language: 'sh', text: 'b\n  c\n', says: '' },
    { page: 'p.md', line: 10, language: '', text: 'd\n', says: '' },
  ])
  assert.throws(() => blocksIn('p.md', '```ts\na'), /without an end/)
})
