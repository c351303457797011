// Whether a list is as quick for a merchant with a million transactions as for one with a thousand: every page and filter that
// a person can click, through HTTP, with a session of the dashboard.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TransactionRow } from '../server/src/console/contract/transactions.ts'
import { type ConsoleClient, signedIn } from '../server/test/support/console.ts'
import { fillSales } from './fill-sales.ts'
import { quantile, type Result } from './result.ts'
import { openWorld, type World } from './world.ts'

const [few, many] = [1_000, 1_000_000]
const times = 9
const ratioMax = 2
const p95MaxMs = 100
/** As a person reads: the console allows fifty a second, and two are asked by turns. */
const pauseMs = 28

export async function lists(): Promise<Result> {
  const shops = [await openShop(few), await openShop(many)] as const
  try {
    const rows = await measured(shops[0].client, shops[1].client)
    const worstRatio = Math.max(...rows.map(({ ratio }) => ratio))
    const worstMs = Math.max(...rows.map(({ manyP95Ms }) => manyP95Ms))
    return {
      name: 'lists',
      title: 'Lists of a million transactions: times that of a thousand',
      bars: rows.map(({ list, ratio }) => ({ label: list, value: ratio, unit: '×', kind: 'ours' })),
      settings: { few, many, days: 365, times },
      rows,
      goals: [
        { goal: `median of a million ≤ ${ratioMax} × of a thousand`, value: worstRatio, met: worstRatio <= ratioMax },
        { goal: `p95 of a million ≤ ${p95MaxMs} ms`, value: worstMs, met: worstMs <= p95MaxMs },
      ],
    }
  } finally {
    for (const { world } of shops) await world.close()
  }
}

interface Shop {
  readonly world: World
  readonly client: ConsoleClient
}

async function openShop(sales: number): Promise<Shop> {
  // Without the worker: its rounds would read tables that are just being filled.
  const world = await openWorld({ TILLBELL_ROLES: 'api,pages' })
  const client = await signedIn(world.service.baseUrl, await demoLogin(world))
  await fillSales(world.sql, { merchant: world.merchant, gateway: await gatewayOf(world), from: 0, to: sales })
  return { world, client }
}

async function demoLogin({ environment }: World): Promise<{ email: string; password: string }> {
  const sheet = await readFile(join(environment.TILLBELL_DATA ?? '', 'demo.json'), 'utf8')
  return JSON.parse(sheet).dashboard
}

async function gatewayOf({ sql, merchant }: World): Promise<string> {
  const [row] = await sql<{ id: string }[]>`select id from gateway where merchant_id = ${merchant} and is_default`
  if (row === undefined) throw new Error('the demo has no gateway')
  return row.id
}

interface Row {
  readonly [column: string]: string | number
  readonly list: string
  readonly ratio: number
  readonly manyP95Ms: number
}

/** By turns: what the machine does meanwhile falls on both. */
async function measured(ofFew: ConsoleClient, ofMany: ConsoleClient): Promise<Row[]> {
  const rows: Row[] = []
  const pathsOfMany = await paths(ofMany)
  for (const [list, path] of Object.entries(await paths(ofFew))) {
    const fewMs: number[] = []
    const manyMs: number[] = []
    for (let index = 0; index < times; index++) {
      fewMs.push(await takenMs(ofFew, path))
      manyMs.push(await takenMs(ofMany, pathsOfMany[list] ?? ''))
    }
    const [fewP50Ms, manyP50Ms] = [quantile(fewMs, 0.5), quantile(manyMs, 0.5)]
    rows.push({ list, fewP50Ms, manyP50Ms, ratio: manyP50Ms / fewP50Ms, manyP95Ms: quantile(manyMs, 0.95) })
  }
  return rows
}

async function takenMs(client: ConsoleClient, path: string): Promise<number> {
  const beganMs = performance.now()
  const { status, text } = await client.ask(path)
  const taken = performance.now() - beganMs
  if (status !== 200) throw new Error(`${path}: ${text}`)
  await new Promise(resolve => setTimeout(resolve, pauseMs))
  return taken
}

/** What is clicked, with what the list itself shows. */
async function paths(client: ConsoleClient): Promise<{ readonly [list: string]: string }> {
  const [newest] = await rowsOf(client, 'transactions?limit=1')
  const [big] = await rowsOf(client, 'transactions?limit=1&search=thing-0')
  const [old] = await rowsOf(client, `transactions?limit=1&created_before=${day(300)}`)
  if (newest === undefined || big === undefined || old === undefined) throw new Error('there are no sales')
  const offer = `offer=${big.offer.id}`
  const longAgo = `created_after=${day(330)}&created_before=${day(300)}`
  return {
    'first page': 'transactions',
    'page 1,000 and more': `transactions?after=${old.id}`,
    'back from there': `transactions?before=${old.id}`,
    'a month of last year': `transactions?${longAgo}`,
    'a rare state': 'transactions?status=Authorized',
    'a rare state, long ago': `transactions?status=Authorized&${longAgo}`,
    'a state that has none': 'transactions?status=Processing',
    'what was only long ago': 'transactions?status=Voided',
    'several states': 'transactions?status=Failed,Refunded,Voided',
    'by mail': 'transactions?source=Email Transaction',
    'by mail, failed': 'transactions?source=Email Transaction&status=Failed',
    'the best offer': `transactions?${offer}`,
    'the best offer, a rare state': `transactions?${offer}&status=Voided`,
    'one customer': `transactions?customer=${newest.customer.id}`,
    'an email': `transactions?search=${newest.customer.email}`,
    'a ref_id': 'transactions?search=thing-0',
    'an id': `transactions?search=${old.id}`,
    'the story of one': `transactions/${old.id}`,
    customers: 'customers',
    'a customer by email': `customers?search=${newest.customer.email}`,
    'one customer’s page': `customers/${newest.customer.id}`,
    'REST: first page': 'rest/transactions',
    'REST: a rare state, long ago': `rest/transactions?status=Authorized&${longAgo}`,
  }
}

async function rowsOf(client: ConsoleClient, path: string): Promise<TransactionRow[]> {
  const { status, json, text } = await client.ask(path)
  if (status !== 200) throw new Error(text)
  return json
}

function day(ago: number): string {
  return new Date(Date.now() - ago * 86_400_000).toISOString()
}
