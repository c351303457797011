// What we give merchants to verify a hook with, run as it stands: the lines of docs/hooks.md, those that the dashboard fills
// in, and the examples in other languages than ours. In one file, so that each interpreter is started once.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { hookBody, standardWebhooksHeaders } from '@tillbell/sdk'
import { hookBytesMax } from '../../sdk/src/parse-hook.ts'
import { snippetsFor } from '../src/console/snippets.ts'
import { runPhp, runPython, runRuby } from './support/interpreters.ts'
import { startEndpoint } from './support/merchant-endpoint.ts'
import { merchant, successful } from './support/sale-samples.ts'
import { shopConformance } from './support/shop-conformance.ts'
import { detailsOf, privateKey, soldHook } from './support/shop-hooks.ts'
import { phpShop, pythonShop, rubyShop } from './support/shops-in-other-languages.ts'

const run = promisify(execFile)
const guide = await readFile(join(resolve(import.meta.dirname, '../..'), 'docs/hooks.md'), 'utf8')

interface Environment {
  readonly [name: string]: string
}

interface Language {
  /** Answers what the code prints. */
  readonly run: (code: string, environment: Environment) => Promise<string>
  /** What makes a script of the guide's lines. Those for the shell say what they find by themselves. */
  readonly before?: string
  readonly after: string
}

const languages: { readonly [name: string]: Language } = {
  js: {
    run: runNode,
    after: `const { details, signature, private_key } = process.env
      process.stdout.write(isAuthentic(details, signature, private_key) ? 'authentic' : 'not authentic')`,
  },
  php: {
    run: runPhp,
    before: '<?php\n',
    after:
      "echo is_authentic(getenv('details'), getenv('signature'), getenv('private_key')) ? 'authentic' : 'not authentic';",
  },
  python: {
    run: runPython,
    after: `import os
print('authentic' if is_authentic(*(os.environ[name] for name in ['details', 'signature', 'private_key'])) else 'not authentic')`,
  },
  ruby: {
    run: runRuby,
    after: "puts authentic?(*ENV.values_at('details', 'signature', 'private_key')) ? 'authentic' : 'not authentic'",
  },
  sh: {
    run: async (code, environment) =>
      (await run('sh', ['-c', code], { env: { ...process.env, ...environment }, timeout: 60_000 })).stdout,
    after: '',
  },
}

async function runNode(code: string, environment: Environment): Promise<string> {
  const env = { ...process.env, ...environment }
  return (await run(process.execPath, ['--input-type=module', '--eval', code], { env, timeout: 60_000 })).stdout
}

interface Pair {
  readonly details: string
  readonly signature: string
}

/** As a receiver has it: after URL decoding. */
function received(): Pair {
  const details = detailsOf(successful, { type: 'success', asked: 'charge' })
  const form = new URLSearchParams(hookBody(details, privateKey))
  assert.equal(form.get('details'), details)
  return { details, signature: form.get('signature') ?? '' }
}

/** A real hook; and others that must not be believed: changed, with another signature, with none. */
function realAndOthers(): { readonly real: Pair; readonly others: readonly Pair[] } {
  const { details, signature } = received()
  const other = `${signature.slice(0, -1)}${signature.endsWith('0') ? '1' : '0'}`
  const changed = details.replace('100.00', '900.00')
  return {
    real: { details, signature },
    others: [
      { details: changed, signature },
      { details, signature: other },
      { details, signature: '' },
    ],
  }
}

for (const [name, { run: runCode, before = '', after }] of Object.entries(languages)) {
  test(`what the guide says in ${name} believes a real hook and no other`, async () => {
    const lines = new RegExp(`^\`\`\`${name}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(guide)?.[1]
    assert.ok(lines !== undefined, 'the guide has lines for it')
    const found = async ({ details, signature }: Pair) =>
      (await runCode(`${before}${lines}\n${after}`, { details, signature, private_key: privateKey })).trim()
    const { real, others } = realAndOthers()
    assert.equal(await found(real), 'authentic')
    for (const other of others) assert.equal(await found(other), 'not authentic')
  })
}

const runSnippet = { node: runNode, php: runPhp, python: runPython, ruby: runRuby } as const

for (const [language, runCode] of Object.entries(runSnippet)) {
  test(`what the dashboard fills in for ${language} believes its own sample and no other`, async () => {
    const { partnerId } = merchant
    const url = `https://shop.example/hooks?of='me'&all`
    const said = async (pair: Pair, key = privateKey, of = partnerId) => {
      const code = snippetsFor({ url, ...pair, partnerId: of }).find(snippet => snippet.language === language)?.code
      assert.ok(code !== undefined)
      return (await runCode(code, { TILLBELL_PRIVATE_KEY: key })).trim()
    }
    const { real, others } = realAndOthers()
    assert.equal(await said(real), 'authentic')
    const refused = 'not authentic: answer 403'
    for (const other of others) assert.equal(await said(other), refused)
    assert.equal(await said(real, `${privateKey}x`), refused)
    assert.equal(await said(real, privateKey, partnerId + 1), refused)
  })
}

test('what the dashboard fills in for curl posts its sample as it is', async t => {
  const endpoint = await startEndpoint(response => response.writeHead(204).end())
  t.after(() => endpoint.close())
  const { real } = realAndOthers()
  const [curl] = snippetsFor({ url: `${endpoint.url}?of='me'&all`, ...real, partnerId: merchant.partnerId })
  const { stdout } = await run('sh', ['-c', curl?.code ?? ''], { timeout: 60_000 })
  assert.match(stdout, /^HTTP\/1\.1 204 /)
  assert.deepEqual(Object.fromEntries(new URLSearchParams(endpoint.received[0]?.body)), real)
})

shopConformance('the example in PHP', phpShop)
shopConformance('the example in Ruby', rubyShop)
shopConformance('the example in Python', pythonShop)

/** PHP reads no more than its own post_max_size. */
for (const [name, open] of [
  ['Ruby', rubyShop],
  ['Python', pythonShop],
] as const) {
  test(`the example in ${name} takes what is as large as the sdk takes, and refuses what is larger`, async () => {
    const shop = await open()
    const hook = hookBody(soldHook(randomUUID()).details, privateKey)
    const ask = (bytes: number) =>
      shop.ask({ path: '/hooks/transaction', body: `${hook}&x=`.padEnd(bytes, 'x'), privateKeys: privateKey })
    assert.deepEqual([await ask(hookBytesMax), await ask(hookBytesMax + 1)], [200, 413])
  })
}

test('what the guide says for Standard Webhooks believes a request of now, signed with any secret that signs', async () => {
  const [, section = ''] = guide.split('\n## Standard Webhooks\n')
  const lines = /^```js\n([\s\S]*?)^```$/m.exec(section)?.[1]
  assert.ok(lines !== undefined, 'the guide has lines for it')
  const [secret, newSecret, another] = [1, 2, 3].map(byte => `whsec_${Buffer.alloc(32, byte).toString('base64')}`) as [
    string,
    string,
    string,
  ]
  const body = hookBody(received().details, privateKey)
  const nowS = Math.floor(Date.now() / 1_000)
  const signed = (timestampS: number, secrets: string[]) =>
    Object.fromEntries(standardWebhooksHeaders({ id: 'msg_1', timestampS, body }, secrets))
  const real = signed(nowS, [secret])
  const forged = `v1,${createHmac('sha256', '').update(`msg_1.${nowS}.${body}`).digest('base64')}`
  const cases: [object, string, string, boolean][] = [
    [real, body, secret, true],
    [signed(nowS, [newSecret, secret]), body, secret, true],
    [signed(nowS, [newSecret, secret]), body, newSecret, true],
    [real, body, another, false],
    [real, `${body}x`, secret, false],
    [{ ...real, 'webhook-id': 'msg_2' }, body, secret, false],
    [{ ...real, 'webhook-timestamp': String(nowS - 1) }, body, secret, false],
    [{ ...real, 'webhook-signature': '' }, body, secret, false],
    [signed(nowS - 3_600, [secret]), body, secret, false],
    [signed(nowS + 3_600, [secret]), body, secret, false],
    [{}, body, secret, false],
    [{ ...real, 'webhook-signature': forged }, body, 'whsec_', false],
  ]
  const script = `${lines}
    const cases = JSON.parse(process.env.cases)
    process.stdout.write(JSON.stringify(cases.map(([headers, body, secret]) => isStandardWebhook(headers, body, secret))))`
  const said = await runNode(script, { cases: JSON.stringify(cases) })
  assert.deepEqual(
    JSON.parse(said),
    cases.map(([, , , authentic]) => authentic),
  )
})
