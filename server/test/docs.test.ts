// Tables in the docs are written from the code, and cannot rot: UPDATE_DOCS=1 npm test -- server/test/docs.test.ts

import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { test } from 'node:test'
import { variables } from '../src/config.ts'
import { declineCodes } from '../src/core/gateway.ts'
import { defaultCurrency, displayAmount } from '../src/core/money.ts'
import { failureCodes } from '../src/core/transaction.ts'
import { behaviours, testAmounts, testCards } from '../src/gateways/sandbox/test-cards.ts'

const root = resolve(import.meta.dirname, '../..')

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

const tables: { readonly [file: string]: { readonly [name: string]: string } } = {
  'docs/configuration.md': {
    variables: table(
      ['variable', 'default', 'meaning'],
      Object.entries(variables).map(([name, { fallback, says }]) => [
        `\`${name}\``,
        fallback === '' ? '' : `\`${fallback}\``,
        says,
      ]),
    ),
  },
  'docs/sandbox.md': {
    cards: table(
      ['number', 'brand', 'a charge'],
      testCards.map(({ number, type, behaviour }) => [`\`${number}\``, type, behaviours[behaviour].does]),
    ),
    amounts: table(
      ['amount', 'the operation'],
      testAmounts.map(({ fromMinor, toMinor, does }) => {
        const [from, to] = [displayAmount(fromMinor, defaultCurrency), displayAmount(toMinor, defaultCurrency)]
        return [from === to ? from : `${from} to ${to}`, does]
      }),
    ),
  },
  'docs/errors.md': {
    codes: table(
      ['`error_code`', 'sentence'],
      Object.entries({ ...declineCodes, ...failureCodes }).map(([code, sentence]) => [`\`${code}\``, sentence]),
    ),
  },
}

for (const [file, parts] of Object.entries(tables)) {
  test(`${file} says what the code says`, async () => {
    const path = join(root, file)
    const before = await readFile(path, 'utf8')
    let after = before
    for (const [name, text] of Object.entries(parts)) {
      const place = new RegExp(`<!-- ${name} -->[\\s\\S]*<!-- /${name} -->`)
      assert.match(after, place)
      after = after.replace(place, () => `<!-- ${name} -->\n${text}\n<!-- /${name} -->`)
    }
    if (process.env.UPDATE_DOCS === '1') await writeFile(path, after)
    assert.equal(await readFile(path, 'utf8'), after)
  })
}

test('every link between our pages leads somewhere', async () => {
  const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md']
  const docs = (await readdir(join(root, 'docs'), { recursive: true })).filter(name => name.endsWith('.md'))
  for (const page of [...pages, ...docs.map(name => `docs/${name}`)]) {
    const text = await readFile(join(root, page), 'utf8')
    for (const [, link = ''] of text.matchAll(/\]\(([^)#]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue
      const target = resolve(root, dirname(page), link)
      await assert.doesNotReject(link.endsWith('/') ? readdir(target) : readFile(target), `${page} links to ${link}`)
    }
  }
})
