// The lines that docs/hooks.md gives merchants to verify a hook with, run as they stand there.

import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { hookBody, standardWebhooksHeaders } from '@tillbell/sdk'
import { hookDetails } from '../src/core/hook-details.ts'
import { customer, noon, offer, sale, service, successful } from '../src/core/samples.test.ts'

const run = promisify(execFile)
const guide = await readFile(join(resolve(import.meta.dirname, '../..'), 'docs/hooks.md'), 'utf8')

interface Language {
  /** Without it there is nothing to run. */
  readonly needs: string
  /** Runs the text that follows. */
  readonly command: readonly [string, ...string[]]
  /** Says what the guide's lines find. Those for the shell say it by themselves. */
  readonly after: string
}

const languages: { readonly [name: string]: Language } = {
  js: {
    needs: process.execPath,
    command: [process.execPath, '--input-type=module', '--eval'],
    after: `const { details, signature, private_key } = process.env
      process.stdout.write(isAuthentic(details, signature, private_key) ? 'authentic' : 'not authentic')`,
  },
  php: {
    needs: 'php',
    command: ['php', '-r'],
    after:
      "echo is_authentic(getenv('details'), getenv('signature'), getenv('private_key')) ? 'authentic' : 'not authentic';",
  },
  python: {
    needs: 'python3',
    command: ['python3', '-c'],
    after: `import os
print('authentic' if is_authentic(*(os.environ[name] for name in ['details', 'signature', 'private_key'])) else 'not authentic')`,
  },
  ruby: {
    needs: 'ruby',
    command: ['ruby', '-e'],
    after: "puts authentic?(*ENV.values_at('details', 'signature', 'private_key')) ? 'authentic' : 'not authentic'",
  },
  sh: { needs: 'openssl', command: ['sh', '-c'], after: '' },
}

const privateKey = 'OK4M40Bp5NhPJagGRXB9x1dI58ujH1mvhjF526jkqYs='
/** Everything that URL encoding, JSON, UTF-8 or a shell could stumble over. */
const hard = `Zoë 語 🧾 +%2B &a=b; 100% "quoted" 'single' \`tick\` $HOME \\ \u2028 <b>`

/** As a receiver has it: after URL decoding. */
function received(): { details: string; signature: string } {
  const hardSale = { ...sale, transaction: successful, offer: { ...offer, title: hard, customData: { [hard]: hard } } }
  const named = { ...hardSale, customer: { ...customer, firstName: hard } }
  const text = JSON.stringify(hookDetails(named, service, { type: 'success', asked: 'charge', at: noon }))
  const form = new URLSearchParams(hookBody(text, privateKey))
  assert.equal(form.get('details'), text)
  return { details: text, signature: form.get('signature') ?? '' }
}

for (const [name, { needs, command, after }] of Object.entries(languages)) {
  test(`what the guide says in ${name} believes a real hook and no other`, async t => {
    if (spawnSync(needs, ['--version']).error !== undefined) return t.skip(`${needs} is not installed`)
    const lines = new RegExp(`^\`\`\`${name}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(guide)?.[1]
    assert.ok(lines !== undefined, 'the guide has lines for it')
    const found = async (hook: { details: string; signature: string }) => {
      const env = { ...process.env, ...hook, private_key: privateKey }
      const [program, ...options] = command
      const { stdout } = await run(program, [...options, `${lines}\n${after}`], { env, timeout: 60_000 })
      return stdout.trim()
    }
    const { details, signature } = received()
    assert.equal(await found({ details, signature }), 'authentic')
    assert.equal(await found({ details: details.replace('100.00', '900.00'), signature }), 'not authentic')
    const other = `${signature.slice(0, -1)}${signature.endsWith('0') ? '1' : '0'}`
    assert.equal(await found({ details, signature: other }), 'not authentic')
    assert.equal(await found({ details, signature: '' }), 'not authentic')
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
  ]
  const script = `${lines}
    const cases = JSON.parse(process.env.cases)
    process.stdout.write(JSON.stringify(cases.map(([headers, body, secret]) => isStandardWebhook(headers, body, secret))))`
  const env = { ...process.env, cases: JSON.stringify(cases) }
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { env, timeout: 60_000 })
  assert.deepEqual(
    JSON.parse(stdout),
    cases.map(([, , , authentic]) => authentic),
  )
})
