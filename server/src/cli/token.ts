// tillbell token create | revoke | inspect

import { readFile } from 'node:fs/promises'
import { type AskedToken, createToken, type TokenKeys, type TokenTarget } from '@tillbell/sdk/token'
import { isoTime } from '../core/sale.ts'
import { inspectionView } from '../core/shown-token.ts'
import { tokens } from '../join-tokens.ts'
import { belongsTo } from '../setup/merchant.ts'
import { currentKey, findMerchant } from '../store/merchants.ts'
import { type Call, type Command, exitCodes, FailedError, jsonOption, merchantOption, UsageError } from './command.ts'
import { knownMerchant, withFoundation } from './key.ts'
import { unreadable } from './unreadable.ts'

const targets = ['email', 'card', 'url'] as const
const offlineOptions = ['private-key-file', 'service-public-key', 'partner-id'] as const

export const tokenCreate: Command = {
  positionals: [],
  options: {
    merchant: { type: 'id', says: 'The merchant (m_…), whose keys are taken from the database.' },
    email: { type: 'address', says: 'It pays once, for this customer.' },
    card: { type: 'token', says: 'It pays once, for the owner of this stored card.' },
    url: { type: 'url', says: 'It pays once for each customer; the page that it is for.' },
    amount: { type: 'amount', says: 'Below 10,000,000 of the smallest unit: at most 99999.99 USD.', required: true },
    currency: { type: 'code', says: 'ISO 4217, such as EUR; by default that of the Private Key.' },
    expires: { type: 'time', says: 'Such as 2027-01-31T12:00:00Z; never by default.' },
    group: { type: 'text', says: 'Free text of your own.' },
    'authorize-only': { type: 'flag', says: 'Authorise when it is paid, capture later.' },
    data: { type: 'json', says: 'What the offer says: item_name, item_details, ref_id, custom_data and so on.' },
    'private-key-file': { type: 'path', says: 'Offline: the file with the Private Key.' },
    'service-public-key': { type: 'key', says: 'Offline: the public key of the service.' },
    'partner-id': { type: 'number', says: "Offline: the merchant's number." },
    json: jsonOption,
  },
  examples: [
    'tillbell token create --merchant m_… --email ada@example.com --amount 12.50',
    'tillbell token create --private-key-file key.txt --service-public-key KEY --partner-id 1001 --url https://shop.example/tea --amount 12.50',
  ],
  async run(call) {
    const asked = askedToken(call)
    const isOffline = offlineOptions.some(name => call.options[name] !== undefined)
    const make = (keys: TokenKeys) => printToken(call, { ...asked, ...keys })
    if (isOffline) {
      make(await offlineKeys(call))
      return exitCodes.done
    }
    if (call.options.merchant === undefined) throw new UsageError('Give --merchant, or the keys to work offline.')
    return withFoundation(call, async foundation => make(await keysOf(call, foundation)))
  },
}

export const tokenRevoke: Command = {
  positionals: ['TOKEN'],
  options: { merchant: merchantOption, json: jsonOption },
  examples: ['tillbell token revoke TOKEN --merchant m_…'],
  run: call =>
    withFoundation(call, async foundation => {
      const merchant = await knownMerchant(call, foundation)
      const revoked = await tokens(foundation).revoke(merchant, call.positionals[0] ?? '')
      if (revoked === null) throw new FailedError("That is no token of this merchant's, or it does not open.")
      const shown = { revoked_at: isoTime(revoked.revokedAt), offer: revoked.offerId }
      const meaning = revoked.offerId === null ? '' : ` It stood for the offer ${revoked.offerId}.`
      call.print(call.options.json === true ? JSON.stringify(shown) : `Revoked: it pays nothing any more.${meaning}`)
    }),
}

export const tokenInspect: Command = {
  positionals: ['TOKEN'],
  options: { merchant: merchantOption, json: jsonOption },
  examples: ["tillbell token inspect '@…@' --merchant m_…"],
  run: call =>
    withFoundation(call, async foundation => {
      const id = await knownMerchant(call, foundation)
      const merchant = await findMerchant(foundation.sql, id)
      if (merchant === null) throw new Error(`merchant ${id} is gone`)
      const shown = inspectionView(await tokens(foundation).inspect(merchant, call.positionals[0] ?? ''))
      if (call.options.json === true) return call.print(JSON.stringify(shown))
      const said = Object.entries(shown).filter(([, value]) => value !== null)
      call.print(
        said.map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`).join('\n'),
      )
    }),
}

function printToken(call: Call, asked: AskedToken): void {
  const token = made(asked)
  call.print(call.options.json === true ? JSON.stringify({ token }) : token)
}

/** What the sdk refuses is the caller's to mend, by the option that they gave. */
function made(asked: AskedToken): string {
  try {
    return createToken(asked)
  } catch (error) {
    throw new UsageError(namingOptions((error as Error).message))
  }
}

const optionNames: readonly (readonly [RegExp, string])[] = [
  [/^target\.(\w+)/, '--$1'],
  [/^userData\.currency\b/, '--currency'],
  [/^userData\./, '--data: '],
  [/^(amount|group|expires)\b/, '--$1'],
  [/^userData\b/, '--data'],
  [/^privateKey\b/, '--private-key-file'],
  [/^servicePublicKey\b/, '--service-public-key'],
  [/^partnerId\b/, '--partner-id'],
  [/\bauthorizationOnly\b/, '--authorize-only'],
]

/** The sdk names members of its own. */
function namingOptions(sentence: string): string {
  return optionNames.reduce((said, [name, option]) => said.replace(name, option), sentence)
}

function askedToken(call: Call): Omit<AskedToken, keyof TokenKeys> {
  const { amount, currency, group, data } = call.options
  const expires = call.options.expires === undefined ? undefined : new Date(String(call.options.expires))
  return {
    target: targetFrom(call),
    amount: String(amount),
    authorizationOnly: call.options['authorize-only'] === true,
    ...(currency !== undefined && { currency: String(currency) }),
    ...(group !== undefined && { group: String(group) }),
    ...(expires !== undefined && { expires }),
    ...(data !== undefined && { userData: objectFrom(String(data)) }),
  }
}

function targetFrom({ options }: Call): TokenTarget {
  const [kind, another] = targets.filter(name => options[name] !== undefined)
  if (kind === undefined || another !== undefined) throw new UsageError('Give one of --email, --card and --url.')
  return { [kind]: String(options[kind]) } as unknown as TokenTarget
}

function objectFrom(text: string): { [name: string]: unknown } {
  try {
    const value = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Said below.
  }
  throw new UsageError('--data must be a JSON object.')
}

async function offlineKeys({ options }: Call): Promise<TokenKeys> {
  const missing = offlineOptions.find(name => typeof options[name] !== 'string')
  if (missing !== undefined) throw new UsageError(`--${missing} is required as well: offline nothing is looked up.`)
  if (options.merchant !== undefined) throw new UsageError('--merchant is not for making a token offline.')
  const path = String(options['private-key-file'])
  const text = await readFile(path, 'utf8').catch(error => {
    throw new FailedError(unreadable(path, error))
  })
  return {
    privateKey: text.trim(),
    servicePublicKey: String(options['service-public-key']),
    partnerId: Number(options['partner-id']),
  }
}

async function keysOf(call: Call, foundation: Parameters<typeof knownMerchant>[1]): Promise<TokenKeys> {
  const { sql, sealer, servicePublicKey } = foundation
  const id = await knownMerchant(call, foundation)
  const [merchant, key] = await Promise.all([findMerchant(sql, id), currentKey(sql, id)])
  const privateKey = sealer.open(key.privateKeySealed, belongsTo.privateKey(id))
  return { privateKey, servicePublicKey, partnerId: merchant?.partnerId ?? Number.NaN }
}
