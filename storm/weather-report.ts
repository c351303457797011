// A storm from its beginning to its report.

import { Client } from '../server/test/support/client.ts'
import { startDns } from '../server/test/support/dns-server.ts'
import { startRelay } from '../server/test/support/mail-relay.ts'
import { answersOf, domain } from '../server/test/support/mailbox.ts'
import { until } from '../server/test/support/until.ts'
import { chanceOf } from './chance.ts'
import { findingsOf } from './checks.ts'
import { command } from './command.ts'
import { createCustomers } from './customers.ts'
import { createStorm } from './faults.ts'
import { type House, openHouse } from './house.ts'
import type { Line } from './line.ts'
import { openMerchant } from './merchant.ts'
import { planOf } from './plan.ts'

export interface Report {
  readonly seed: number
  readonly seconds: number
  readonly faults: { readonly [kind: string]: number }
  readonly payments: number
  readonly refunds: number
  readonly mails: number
  readonly notifications: number
  readonly attempts: number
  readonly dropped: number
  readonly preSales: number
  readonly findings: readonly string[]
}

const customersAtOnce = 12
const mailDomain = 'pay.test'
/** Those whose money moves while the answer is lost are few: the service waits for each of them. */
const cardNumbers = [
  ...Array.from({ length: 16 }, () => '4111111111111111'),
  ...['4012888888881881', '4000001000001008', '4000001000010009', '4000001000013003', '4000001000014001'],
]

export async function weather(seed: number, lastsMs: number, say: (line: string) => void): Promise<Report> {
  const buyersDomain = domain('example.org')
  const dns = await startDns(answersOf(buyersDomain))
  const relay = await startRelay()
  const house = await openHouse({
    TILLBELL_DNS: dns.address,
    TILLBELL_MAIL_DOMAIN: mailDomain,
    TILLBELL_MAIL_RELAY: `smtp://127.0.0.1:${relay.port}`,
    TILLBELL_REQUESTS_PER_S: '100000',
  })
  const sheet = await newMerchant(house)
  const merchant = await openMerchant(chanceOf(seed, 'merchant'), sheet.private_key)
  try {
    const lineOf = (name: Parameters<typeof house.lines.get>[0]) => house.lines.get(name) as Line
    lineOf('merchant').leadTo(merchant.port)
    const clients = ([1, 2] as const).map(
      number =>
        new Client(`http://127.0.0.1:${lineOf(`customers of api ${number}`).port}`, sheet.api_key, sheet.api_secret),
    )
    const [client] = clients as [Client]
    const gatewayId = await connectGateway(client, `http://127.0.0.1:${lineOf('gateway').port}`)
    const hooksUrl = `http://127.0.0.1:${lineOf('merchant').port}`
    const endpoint = await addEndpoints(client, hooksUrl)
    const buyers = Array.from({ length: 20 }, (_, index) => `buyer-${index}@example.org`)
    const offers = await Promise.all(Array.from({ length: 5 }, () => client.makeOffer({ amount: '25.00' })))
    const cards: string[] = []
    for (const number of cardNumbers) cards.push(await client.storeCard(number))
    for (const email of buyers) await client.storeCard('4111111111111111', { email })
    const shop = { clients, offers, cards, buyers, domain: buyersDomain, mailPort: house.mailLine.port }
    const customers = createCustomers(
      { ...shop, mailTo: offer => `payment-id-${offer}@${mailDomain}` },
      Array.from({ length: customersAtOnce }, (_, index) => chanceOf(seed, `customer ${index}`)),
    )
    const storm = createStorm({
      ...{ house, merchant, merchantId: sheet.merchant },
      turnEndpoint: async to =>
        (await client.ask(`hook_endpoints/${endpoint}`, { method: 'PATCH', form: { status: to } }).catch(() => null))
          ?.status === 200,
    })
    const beganMs = performance.now()
    const trading = customers.trade()
    await storm.blow(planOf(chanceOf(seed, 'plan'), lastsMs))
    customers.goHome()
    merchant.recover()
    await trading
    const passed = () => `${Math.round((performance.now() - beganMs) / 1_000)} s`
    say(`${passed()}: the storm is over; what is under way is settled.`)
    await moneyIsSettled(house)
    say(`${passed()}: all money is where it belongs; customers ask for what they have no answer to.`)
    await customers.askAgain(120_000)
    say(`${passed()}: days pass until no hook is owed any more.`)
    await hooksAreSettled(house)
    say(`${passed()}: everything is compared.`)
    const scene = {
      sql: house.sql,
      customers,
      merchant,
      merchantId: sheet.merchant,
      gatewayUrl: house.gatewayUrl,
      gatewayId,
    }
    const findings = await findingsOf(scene)
    const [counted] = await house.sql<{ notifications: number; attempts: number; dropped: number }[]>`
      select (select count(*)::int from delivery) as notifications, (select count(*)::int from attempt) as attempts,
        (select count(*)::int from whole_delivery where state = 'dropped') as dropped`
    return {
      seed,
      seconds: Math.round((performance.now() - beganMs) / 1_000),
      faults: Object.fromEntries(storm.done),
      payments: customers.wishes.filter(({ path }) => path === 'transactions').length,
      refunds: customers.wishes.filter(({ path }) => path === 'transactions/refunds').length,
      mails: customers.letters.filter(({ isTaken }) => isTaken).length,
      preSales: merchant.asked.size,
      ...(counted ?? { notifications: 0, attempts: 0, dropped: 0 }),
      findings,
    }
  } finally {
    await house.close()
    await Promise.all([merchant.close(), dns.close(), relay.close()])
  }
}

interface Sheet {
  readonly merchant: string
  readonly api_key: string
  readonly api_secret: string
  readonly private_key: string
}

async function newMerchant({ environment }: House): Promise<Sheet> {
  const words = ['merchant', 'create', '--name', 'Bells', '--email', 'owner@example.com', '--json']
  return JSON.parse((await command(words, environment)).printed)
}

async function connectGateway(client: Client, url: string): Promise<string> {
  const { json, status, text } = await client.ask('gateways', {
    json: { type: 'test', credentials: { url }, default: true },
  })
  if (status !== 200) throw new Error(text)
  return json.gateway.id
}

/** The id of the one that is paused now and then. */
async function addEndpoints(client: Client, url: string): Promise<string> {
  const ids: string[] = []
  for (const [kind, path] of [
    ['transaction', 'told'],
    ['transaction', 'dead'],
    ['error', 'errors'],
    ['far', 'far'],
    ['pre_sale', 'pre-sale'],
  ]) {
    const { json, status, text } = await client.ask('hook_endpoints', {
      form: { kind: kind ?? '', url: `${url}/${path}`, timeout_s: 3 },
    })
    if (status !== 200) throw new Error(text)
    ids.push(json.hook_endpoint.id)
  }
  return ids[0] ?? ''
}

/** What falls due on the way is done on the way. */
async function advance({ environment }: House, by: string): Promise<void> {
  const { code, complained } = await command(['clock', 'advance', by], environment)
  if (code !== 0) throw new Error(`the clock did not move: ${complained}`)
}

/** Minutes pass as quickly as the machine can, but fewer than keys are remembered for. */
async function moneyIsSettled(house: House): Promise<void> {
  const isOver = async () => {
    const open = await house.sql`select from transaction where status = 'Processing'
      union all select from operation where outcome in ('pending', 'unknown')
      union all select from letter where state = 'waiting' limit 1`
    return open.length === 0
  }
  await until('what was under way ends by itself', isOver, 10_000, 200).catch(() => {})
  for (let minutes = 0; minutes < 12 * 60 && !(await isOver()); minutes += 15) await advance(house, '15m')
}

/** The schedule ends after little more than a day. */
async function hooksAreSettled(house: House): Promise<void> {
  const isOver = async () => (await house.sql`select from owed_delivery where state = 'pending' limit 1`).length === 0
  for (let hours = 0; hours < 96 && !(await isOver()); hours += 12) await advance(house, '12h')
}
