// Tables in the docs are written from the code, and cannot rot: UPDATE_DOCS=1 npm test -- server/test/docs.test.ts

import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { test } from 'node:test'
import { type HookKind, hookSchemas } from '@tillbell/sdk'
import { commands, groups } from '../src/cli/commands.ts'
import { triggerKinds } from '../src/cli/trigger-kinds.ts'
import { causesByPlace } from '../src/cli/verify-causes.ts'
import { variables } from '../src/config.ts'
import { askGaps, asksFor } from '../src/core/doubt.ts'
import { declineCodes } from '../src/core/gateway.ts'
import { rules } from '../src/core/letter.ts'
import { defaultCurrency, displayAmount } from '../src/core/money.ts'
import { attemptOffsets } from '../src/core/retry-schedule.ts'
import { failureCodes } from '../src/core/transaction.ts'
import { type TryKind, tryLimits } from '../src/core/tries.ts'
import { behaviours, testAmounts, testCards } from '../src/gateways/sandbox/test-cards.ts'
import { sampleBesideSale, wholeSample } from './support/hook-samples.ts'

const countedFor: { readonly [kind in TryKind]: readonly [string, string] } = {
  address: [
    'an address on the network (IPv6: its /64)',
    'payments and cards that fail, wrong guesses of whom an offer is for',
  ],
  waiting: ['an address on the network', 'payments that wait for the bank or the gateway, whatever comes of them'],
  card: ['a card', 'payments that fail'],
  ask: ['an address on the network', 'links that are asked for'],
  mail: ['an address that mail goes to', 'links that are mailed and not used'],
  letter: ['an address that sends mail', 'mails that do not prove who sent them'],
  stray: ['an address on the network', 'mails that prove nothing at all'],
  newcomers: ['a domain that mail comes from', 'mails of senders who were never here before'],
  further_action: ['an address that is not proven to have written', 'mails that say what is left to do'],
  error: ['an address that is not proven to have written', 'mails that say that a payment was not made'],
}

const root = resolve(import.meta.dirname, '../..')

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

const kinds = Object.keys(hookSchemas) as HookKind[]
const { properties: hookFields } = hookSchemas.error
const typesOf: { readonly [kind in HookKind]: readonly string[] } = {
  pre_sale: [hookSchemas.pre_sale.properties.type.const],
  transaction: [hookSchemas.transaction.properties.type.const],
  far: [hookSchemas.far.properties.type.const],
  error: [hookSchemas.error.properties.type.const],
  generic: hookSchemas.generic.anyOf.map(({ properties }) => properties.type.const),
  update: hookSchemas.update.properties.type.enum,
}
const inCode = (texts: readonly string[]) => texts.map(text => `\`${text}\``).join(', ')

interface Described {
  readonly [name: string]: { readonly type: string | readonly string[]; readonly description: string }
}

function fieldTable(fields: Described): string {
  return table(
    ['field', 'type', 'meaning'],
    Object.entries(fields).map(([name, { type, description }]) => [
      `\`${name}\``,
      [type].flat().join(' or '),
      description,
    ]),
  )
}

/** A span of time in its table's own unit. */
function spelled(span: string): string {
  return span
    .replace(/(?=[smhd]$)/, ' ')
    .replace(/m$/, 'min')
    .replace(/d$/, 'days')
}

/** Words for a terminal, as Markdown. */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('&', '&amp;')
}

function commandTables(): string {
  const sections = Object.entries(groups).map(([group, title]) => {
    const own = commands.filter(command => command.group === group)
    return table(
      [title, 'does'],
      own.map(({ name, summary }) => [`\`tillbell ${name}\``, escaped(summary)]),
    )
  })
  return sections.join('\n\n')
}

const placeTitles: { readonly [place in keyof typeof causesByPlace]: string } = {
  body: 'The body',
  details: 'The details',
  key: 'The key',
  signature: 'The signature',
  order: 'All three',
  looks: 'Where nothing fits',
}

function causeTables(): string {
  const sections = Object.entries(causesByPlace).map(([place, causes]) =>
    table(
      [placeTitles[place as keyof typeof causesByPlace], 'how it is mended'],
      Object.values(causes).map(({ found, mend }) => [escaped(found), escaped(mend)]),
    ),
  )
  return sections.join('\n\n')
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
  'docs/command-line.md': {
    commands: commandTables(),
    triggers: table(
      ['kind', 'does', 'hook'],
      Object.entries(triggerKinds).map(([name, { says, hook }]) => [`\`${name}\``, says, `\`${hook}\``]),
    ),
    causes: causeTables(),
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
  'docs/operations.md': {
    asks: table(
      ['ask', ...askGaps.map((_, index) => String(index + 1)), 'each one more', 'the last'],
      [['after', ...askGaps.map(spelled), spelled(askGaps.at(-1) ?? ''), `${spelled(asksFor)} at most, in all`]],
    ),
    tries: table(
      ['counted for', 'what', 'at once', 'an hour'],
      (Object.keys(tryLimits) as TryKind[]).map(kind => {
        const { atOnce, perHour } = tryLimits[kind]
        return [...countedFor[kind], String(atOnce), String(perHour)]
      }),
    ),
  },
  'docs/hooks.md': {
    kinds: table(
      ['kind', '`type`', 'sent'],
      kinds.map(kind => {
        const { title, description } = hookSchemas[kind]
        return [`${title} (\`${kind}\`)`, inCode(typesOf[kind]), description]
      }),
    ),
    example: wholeSample('transaction'),
    'sample of pre_sale': sampleBesideSale('pre_sale'),
    'sample of authorization': sampleBesideSale('authorization'),
    'sample of capture': sampleBesideSale('capture'),
    'sample of far': sampleBesideSale('far'),
    'sample of error': sampleBesideSale('error'),
    'sample of generic': sampleBesideSale('generic'),
    'sample of refund': sampleBesideSale('refund'),
    'sample of void': sampleBesideSale('void'),
    'sample of dispute': sampleBesideSale('dispute'),
    details: fieldTable(hookFields),
    token: fieldTable(hookFields.token.properties),
    user_data: fieldTable(hookFields.user_data.properties),
    further_action: fieldTable(hookFields.further_action.properties),
    refund: fieldTable(hookSchemas.update.properties.refund.properties),
    dispute: fieldTable(hookSchemas.update.properties.dispute.properties),
    attempts: table(
      ['attempt', ...attemptOffsets.map((_, index) => String(index + 1))],
      [['after', ...attemptOffsets.map(spelled)]],
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

for (const kind of kinds) {
  test(`docs/schemas/hook-${kind}.json is the schema of the kind`, async () => {
    const path = join(root, `docs/schemas/hook-${kind}.json`)
    const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...hookSchemas[kind] }
    const text = `${JSON.stringify(schema, null, 2)}\n`
    if (process.env.UPDATE_DOCS === '1') await writeFile(path, text)
    assert.equal(await readFile(path, 'utf8'), text)
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

for (const [page, folder] of [
  ['pages', 'pictures'],
  ['dashboard', 'pictures/dashboard'],
] as const) {
  test(`docs/${page}.md shows each of its pictures once, and there are no others`, async () => {
    const text = await readFile(join(root, `docs/${page}.md`), 'utf8')
    const shown = [...text.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path]) => path)
    const taken = (await readdir(join(root, 'docs', folder))).filter(name => name.endsWith('.png'))
    assert.deepEqual(shown.sort(), taken.map(name => `${folder}/${name}`).sort())
  })
}

test('every rule by which a sender is believed is explained, and no other', async () => {
  const text = await readFile(join(root, 'docs/interface.md'), 'utf8')
  const [, table = ''] = /\n\| rule \| says \| because \|\n\|[-|]+\|\n((?:\|.*\n)+)/.exec(text) ?? []
  const named = table.split('\n').flatMap(row => row.split('|')[1]?.match(/(?<=`)[a-z0-9_]+(?=`)/g) ?? [])
  assert.deepEqual(named.toSorted(), rules.toSorted())
})
