// The demo: a merchant with an offer, a stored card and a hook inbox, so that the first charge is one pasted line away. Made by the
// first start of a sandbox; every later start finds it, and a start that was killed half-way is made whole by the next.

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MerchantId, OfferId } from '../core/ids.ts'
import type { Offer } from '../core/offer.ts'
import { demoSetting, type Foundation } from '../foundation.ts'
import { cardStorer } from '../join-cards.ts'
import { offerTokens, tokenOf } from '../join-offer-tokens.ts'
import { servesPages } from '../join-pages.ts'
import { newApiKeyPair, newMerchantId, sameHash, secretHash } from '../keys/new-ids.ts'
import { hashPassword, newPassword } from '../keys/passwords.ts'
import type { Service } from '../main.ts'
import { listCards } from '../store/cards.ts'
import { endSessionsOf } from '../store/console-sessions.ts'
import { listGateways } from '../store/gateways.ts'
import { dropLinks } from '../store/login-links.ts'
import { changePassword } from '../store/logins.ts'
import { anyMerchant, currentKey, findApiKey, findMerchant, insertApiKey } from '../store/merchants.ts'
import { insertOffer, oldestOffer } from '../store/offers.ts'
import { keepFirst, readSetting } from '../store/settings.ts'
import { ensureInbox, isInboxFed } from './inbox.ts'
import { belongsTo, createMerchant, type MerchantSetup } from './merchant.ts'
import { type MerchantSheet, merchantSheet } from './sheet.ts'

/** Whoever makes the demo has it. */
export const demoLock = 7_216_550_772
const demoEmail = 'demo@example.com'

/** Null: this installation has merchants of its own, and no demo. */
export async function ensureDemo(foundation: Foundation, service: Service): Promise<MerchantSheet | null> {
  const { sql, config } = foundation
  const connection = await sql.reserve()
  try {
    await connection`select pg_advisory_lock(${demoLock})`
    const known = await readSetting(sql, demoSetting)
    if (known === null && (await anyMerchant(sql))) return null
    // Named before it is made: a start that dies in between is taken up again under the same name.
    const id = (known ?? (await keepFirst(sql, demoSetting, newMerchantId()))) as MerchantId
    await mkdir(config.dataFolder, { recursive: true, mode: 0o700 })
    const file = join(config.dataFolder, 'demo.json')
    const setup = await demoMerchant(foundation, id, await readSheet(file))
    const offer = await demoOffer(foundation, service, id)
    const card = await demoCard(foundation, service, id)
    const inboxUrl = await ensureInbox(foundation, service, id)
    const { baseUrl, mailPort } = service
    const sheet = merchantSheet(foundation, setup, { baseUrl, offer, card, inboxUrl, mailPort })
    await writeFile(`${file}.new`, `${JSON.stringify(sheet, null, 2)}\n`, { mode: 0o600 })
    await rename(`${file}.new`, file)
    return sheet
  } finally {
    await connection`select pg_advisory_unlock_all()`.start().catch(() => null)
    connection.release()
  }
}

async function readSheet(file: string): Promise<MerchantSheet | null> {
  const text = await readFile(file, 'utf8').catch(() => '')
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

async function demoMerchant(
  foundation: Foundation,
  id: MerchantId,
  sheet: MerchantSheet | null,
): Promise<MerchantSetup> {
  const { sql, sealer, clock, newUuid, config } = foundation
  const merchant = await findMerchant(sql, id)
  if (merchant === null) {
    const world = { sql, sealer, mode: config.mode, now: clock.now, newUuid }
    return createMerchant(world, { name: 'Demo', email: demoEmail, id })
  }
  const known = sheet?.merchant === id && (await stillOpens(foundation, sheet)) ? sheet : null
  const setup = known === null ? await newSecrets(foundation, merchant) : setupPart(known)
  return { ...setup, ...(await signingPair(foundation, id)) }
}

async function stillOpens({ sql }: Foundation, sheet: MerchantSheet): Promise<boolean> {
  const found = await findApiKey(sql, sheet.api_key)
  return found !== null && sameHash(found.secretSha256, secretHash(sheet.api_secret))
}

type WithoutPair = Omit<MerchantSetup, 'private_key' | 'public_key'>

function setupPart(sheet: MerchantSheet): WithoutPair {
  const { merchant, partner, partner_id, api_key, api_secret, gateway, dashboard } = sheet
  const { email, password } = dashboard
  return { merchant, partner, partner_id, api_key, api_secret, gateway, dashboard: { email, password } }
}

/** From the database, not from the sheet: it may have been replaced since. */
async function signingPair({ sql, sealer }: Foundation, id: MerchantId) {
  const key = await currentKey(sql, id)
  return { private_key: sealer.open(key.privateKeySealed, belongsTo.privateKey(id)), public_key: key.publicKey }
}

/** demo.json was lost, and with it the secrets: the merchant gets new ones. */
async function newSecrets(
  { sql, clock }: Foundation,
  merchant: NonNullable<Awaited<ReturnType<typeof findMerchant>>>,
): Promise<WithoutPair> {
  const pair = newApiKeyPair()
  const password = newPassword()
  const passwordHash = await hashPassword(password)
  await sql.begin(async scope => {
    await insertApiKey(scope, merchant.id, { key: pair.key, secretSha256: secretHash(pair.secret) }, clock.now())
    const login = { merchantId: merchant.id, email: merchant.email }
    await changePassword(scope, login, { hash: passwordHash, instead: null })
    await endSessionsOf(scope, login)
    await dropLinks(scope, { ...login, kind: 'reset' })
  })
  const [gateway] = await listGateways(sql, merchant.id, { limit: 1, after: null })
  return {
    merchant: merchant.id,
    partner: merchant.partner,
    partner_id: merchant.partnerId,
    api_key: pair.key,
    api_secret: pair.secret,
    gateway: gateway?.id ?? null,
    dashboard: { email: merchant.email, password },
  }
}

async function demoOffer(foundation: Foundation, service: Service, merchantId: MerchantId): Promise<OfferId> {
  const { sql, clock, newUuid } = foundation
  const known = await oldestOffer(sql, merchantId)
  if (known !== null) return known
  const merchant = await findMerchant(sql, merchantId)
  if (merchant === null) throw new Error('the demo merchant is gone')
  const offer: Omit<Offer, 'tokenContent'> = {
    merchantId,
    id: newUuid() as OfferId,
    createdAt: clock.now(),
    title: 'Brass bell',
    details: 'Rings when the till opens.',
    amountMinor: 10_000n,
    amountGiven: '100.00',
    currency: merchant.currency,
    refId: 'demo-bell',
    campaign: null,
    tag: null,
    form: null,
    stockLeft: null,
    expiresAt: null,
    gatewayId: null,
    pageUrl: null,
    customFields: [],
    address: null,
    customUserData: null,
    fulfillment: null,
    email: null,
    authorizationOnly: false,
    customData: {},
    active: true,
  }
  const { content, keyId } = await offerTokens(foundation, service.joined)(merchant, offer)
  const whole = { ...offer, tokenContent: content }
  await sql.begin(scope => insertOffer(scope, whole, tokenOf(whole, keyId)))
  return offer.id
}

async function demoCard(foundation: Foundation, service: Service, merchantId: MerchantId): Promise<string> {
  const email = 'ada@example.com'
  const [known] = await listCards(foundation.sql, merchantId, { email, isUnconfirmedToo: false, limit: 1, after: null })
  if (known !== undefined) return known.card.token
  const card = {
    number: '4111111111111111',
    cvc: '123',
    expiryMonth: 12,
    expiryYear: foundation.clock.now().getUTCFullYear() + 5,
  }
  const result = await cardStorer(foundation, service.joined)(merchantId, {
    email,
    firstName: 'Ada',
    lastName: 'Lovelace',
    gatewayId: null,
    card,
  })
  if ('stored' in result) return result.stored.card.token
  throw new Error(`the demo card was not stored: ${result.kind}`)
}

export async function demoGreeting(foundation: Foundation, demo: MerchantSheet): Promise<string> {
  const { base_url, api_key, api_secret, offer, card, inbox_url } = demo
  const isFed = inbox_url !== null && (await isInboxFed(foundation, demo.merchant))
  const page = servesPages(foundation.config)
    ? `\nOr pay as a customer, with 4111 1111 1111 1111, any date to come and any code:\n\n  ${base_url}/offers/${offer}\n`
    : ''
  const byMail = foundation.config.roles.includes('mail')
    ? `\nOr by mail, as Ada, who has saved that card:\n\n  npx tillbell mail send --from ada@example.com --link ${offer} --port ${demo.mail_port}\n`
    : ''
  const mails =
    inbox_url === null ? '' : `\nMails to customers are shown at ${inbox_url}/mails instead of being sent.\n`
  const { url, email, password } = demo.dashboard
  const office = servesPages(foundation.config)
    ? `\nThe dashboard, for ${email} with the password ${password}:\n\n  ${url}\n\nHow your application gets its first hook, and all else: ${base_url}/docs/quick-start\n`
    : ''
  const arrives = `${isFed ? `\nSee the hook arrive:\n\n  ${inbox_url}\n` : ''}${mails}`
  return `
Tillbell is at ${base_url} (sandbox: no real money moves).

Charge the demo card for the demo offer:

  curl -u ${api_key}:${api_secret} -d service_offer=${offer} -d token=${card} ${base_url}/api/v5/rest/transactions
${page}${byMail}${arrives}${office}
The demo merchant's keys are in ${join(foundation.config.dataFolder, 'demo.json')}. Ctrl-C stops Tillbell and its database.
`
}
