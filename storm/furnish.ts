// What a merchant sets up before the first customer comes.

import { Client } from '../server/test/support/client.ts'
import { type FilledMail, filledBy } from '../server/test/support/mail-world.ts'
import type { Domain } from '../server/test/support/mailbox.ts'
import { type Chance, chanceOf } from './chance.ts'
import { command } from './command.ts'
import { type Customers, createCustomers } from './customers.ts'
import type { House } from './house.ts'
import { largeText, makeLargeOffer } from './large-inputs.ts'
import { type Merchant, openMerchant } from './merchant.ts'

export const mailDomain = 'pay.test'
const customersAtOnce = 12
/** Those whose money moves while the answer is lost are few: the service waits for each of them. */
const cardNumbers = [
  ...Array.from({ length: 16 }, () => '4111111111111111'),
  ...['4012888888881881', '4000001000001008', '4000001000010009', '4000001000013003', '4000001000014001'],
]

export interface Furnished {
  readonly merchant: Merchant
  readonly merchantId: string
  readonly gatewayId: string
  readonly customers: Customers
  turnEndpoint(to: 'paused' | 'enabled'): Promise<boolean>
}

export async function furnish(
  house: House,
  seed: number,
  domain: Domain,
  end: AsyncDisposableStack,
): Promise<Furnished> {
  const words = ['merchant', 'create', '--name', 'Bells', '--email', 'owner@example.com', '--json']
  const sheet = JSON.parse((await command(words, house.environment)).printed)
  const merchant = await openMerchant(
    chanceOf(seed, 'merchant'),
    await currentKey(house, sheet.merchant),
    sheet.private_key,
  )
  end.defer(merchant.close)
  house.line('merchant').leadTo(merchant.port)
  const clients = (['api 1', 'api 2'] as const).map(api => {
    const url = `http://127.0.0.1:${house.line(`customers of ${api}`).port}`
    return new Client(url, sheet.api_key, sheet.api_secret)
  })
  const [client] = clients as [Client]
  const gatewayId = await connectGateway(client, `http://127.0.0.1:${house.line('gateway').port}`)
  const [endpoint] = await addEndpoints(client, `http://127.0.0.1:${house.line('merchant').port}`, merchant)
  const chances = Array.from({ length: customersAtOnce }, (_, index) => chanceOf(seed, `customer ${index}`))
  const status = async (to: string) =>
    (await client.ask(`hook_endpoints/${endpoint}`, { method: 'PATCH', form: { status: to } }).catch(() => null))
      ?.status
  return {
    ...{ merchant, merchantId: sheet.merchant, gatewayId },
    customers: await openShop(house, clients, domain, chances),
    turnEndpoint: async to => (await status(to)) === 200,
  }
}

/** The id of the key that signs hooks now. */
export async function currentKey({ sql }: House, merchantId: string): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    select id from merchant_key where merchant_id = ${merchantId} and state = 'current'`
  if (row === undefined) throw new Error('there is no current key')
  return row.id
}

async function openShop(
  house: House,
  clients: readonly Client[],
  domain: Domain,
  chances: readonly Chance[],
): Promise<Customers> {
  const [client] = clients as [Client]
  const buyers = Array.from({ length: 20 }, (_, index) => `buyer-${index}@example.org`)
  const [chance] = chances as [Chance]
  const mailOffers = await Promise.all(Array.from({ length: 5 }, () => client.makeOffer({ amount: '25.00' })))
  const pageOffers: string[] = []
  for (let count = 0; count < 3; count++) pageOffers.push(await makeLargeOffer(client, chance, '25.00'))
  const offers = [...mailOffers, ...pageOffers]
  const cards: string[] = []
  for (const number of cardNumbers) {
    const names = { first_name: largeText(chance, 100), last_name: largeText(chance, 100) }
    cards.push(await client.storeCard(number, chance.happens(0.5) ? names : {}))
  }
  for (const email of buyers) await client.storeCard('4111111111111111', { email })
  const mails = await Promise.all(mailOffers.map(offer => filledByOffer(client, offer)))
  const mailPort = house.line('mail').port
  return createCustomers({ clients, offers, pageOffers, cards, buyers, domain, mailPort, mails }, chances)
}

/** Mails to public addresses charge at once here, so that customers need no browser. */
async function filledByOffer(client: Client, offer: string): Promise<FilledMail> {
  const settings = { method: 'PATCH', json: { public_charge_at_once: true } }
  const { status, text } = await client.ask('mail_settings', settings)
  if (status !== 200) throw new Error(text)
  return filledBy((await client.ask(`offers/${offer}`)).json.offer.mail_to)
}

async function connectGateway(client: Client, url: string): Promise<string> {
  const { json, status, text } = await client.ask('gateways', {
    json: { type: 'test', credentials: { url }, default: true },
  })
  if (status !== 200) throw new Error(text)
  return json.gateway.id
}

/** Their ids; the first is the one that is paused now and then. */
async function addEndpoints(client: Client, url: string, merchant: Merchant): Promise<string[]> {
  const ids: string[] = []
  for (const [kind, path, standard] of [
    ['transaction', 'told', 'false'],
    ['transaction', 'dead', 'false'],
    ['update', 'updates', 'false'],
    ['generic', 'standard', 'true'],
    ['error', 'errors', 'false'],
    ['far', 'far', 'false'],
    ['pre_sale', 'pre-sale', 'false'],
  ] as const) {
    const form = { kind, url: `${url}/${path}`, timeout_s: 3, standard_webhooks: standard }
    const { json, status, text } = await client.ask('hook_endpoints', { form })
    if (status !== 200) throw new Error(text)
    ids.push(json.hook_endpoint.id)
    if (standard === 'true') merchant.learnSecret(json.hook_endpoint.secret)
  }
  return ids
}
