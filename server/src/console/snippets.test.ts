// What a merchant copies from the dashboard is what the guide says. That it works as it stands is tested where the guide is:
// server/test/hooks-verify-in-any-language.test.ts.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
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
const languages = Object.keys(inGuide) as (keyof typeof inGuide)[]

const codeOf = (language: string) => snippetsFor(sample).find(snippet => snippet.language === language)?.code ?? ''

for (const language of languages) {
  test(`in ${language} they are the lines of the guide`, () => {
    const [, section = ''] = guide.split('\n## Verify it\n')
    assert.ok(section.includes(`\`\`\`${inGuide[language]}\n${verifyingLines[language]}\`\`\``))
    assert.ok(codeOf(language).includes(verifyingLines[language]))
  })
}

test('each names what reads the Private Key, so that the key can stand in its place', () => {
  for (const { code, reads_key: reads } of snippetsFor(sample)) {
    if (reads !== null) assert.equal(code.split(reads).length, 2)
  }
})
