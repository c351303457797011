// What a merchant copies from the dashboard is what the guide says, and works as it stands.

import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { signDetails } from '@tillbell/sdk'
import { type Sample, snippetsFor, verifyingLines } from './snippets.ts'

const guide = await readFile(join(import.meta.dirname, '../../../docs/hooks.md'), 'utf8')
const privateKey = 'OK4M40Bp5NhPJagGRXB9x1dI58ujH1mvhjF526jkqYs='
const hard = `Zoë's 語 \\ "quoted" $HOME \`tick\` %2B +&a=b`
const details = JSON.stringify({ partner_id: 1001, item: hard })
const sample: Sample = {
  url: "https://shop.example/hooks?of='me'&all",
  details,
  signature: signDetails(details, privateKey),
  partnerId: 1001,
}

const inGuide = { node: 'js', php: 'php', python: 'python', ruby: 'ruby' } as const
const runs = { node: 'node', php: 'php', python: 'python3', ruby: 'ruby' } as const
const endings = { node: 'mjs', php: 'php', python: 'py', ruby: 'rb' } as const
const languages = Object.keys(inGuide) as (keyof typeof inGuide)[]

const codeOf = (language: string, of: Sample = sample) =>
  snippetsFor(of).find(snippet => snippet.language === language)?.code ?? ''

for (const language of languages) {
  test(`in ${language} they are the lines of the guide, and believe their own sample alone`, async t => {
    const [, section = ''] = guide.split('\n## Verify it\n')
    assert.ok(section.includes(`\`\`\`${inGuide[language]}\n${verifyingLines[language]}\`\`\``))
    assert.ok(codeOf(language).includes(verifyingLines[language]))
    const program = language === 'node' ? process.execPath : runs[language]
    if (spawnSync(program, ['--version']).error !== undefined) return t.skip(`${program} is not installed`)
    const folder = await mkdtemp(join(tmpdir(), 'tillbell-snippet-'))
    t.after(() => rm(folder, { recursive: true }))
    const said = async (of: Sample) => {
      const file = join(folder, `snippet.${endings[language]}`)
      await writeFile(file, codeOf(language, of))
      const env = { ...process.env, TILLBELL_PRIVATE_KEY: privateKey }
      return (await promisify(execFile)(program, [file], { env, timeout: 60_000 })).stdout.trim()
    }
    assert.equal(await said(sample), 'authentic')
    assert.equal(await said({ ...sample, details: details.replace('Zo', 'Xo') }), 'not authentic: answer 403')
    assert.equal(await said({ ...sample, partnerId: 1002 }), 'not authentic: answer 403')
  })
}

test('each names what reads the Private Key, so that the key can stand in its place', () => {
  for (const { code, reads_key: reads } of snippetsFor(sample)) {
    if (reads !== null) assert.equal(code.split(reads).length, 2)
  }
})

test('in a shell the sample is posted as it is', async () => {
  const script = `curl() { printf '%s\\n' "$@"; }\n${codeOf('curl')}`
  const { stdout } = await promisify(execFile)('sh', ['-c', script])
  const given = stdout.split('\n')
  assert.ok(given.includes(sample.url))
  assert.ok(given.includes(`details=${details}`))
  assert.ok(given.includes(`signature=${sample.signature}`))
})
