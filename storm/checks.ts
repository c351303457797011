// What must be true when the storm is over, whatever it did: each sentence is a finding.

import { attemptsMax } from '../server/src/core/retry-schedule.ts'
import { audit } from '../server/src/store/audit.ts'
import type { Database } from '../server/src/store/database.ts'
import { send } from '../server/test/support/client.ts'
import type { Customers } from './customers.ts'
import type { Merchant } from './merchant.ts'

export interface Scene {
  readonly sql: Database
  readonly customers: Customers
  readonly merchant: Merchant
  readonly merchantId: string
  readonly gatewayUrl: string
  readonly gatewayId: string
}

export async function findingsOf(scene: Scene): Promise<string[]> {
  return [
    ...wishFindings(scene),
    ...(await strangerFindings(scene)),
    ...(await ledgerFindings(scene)),
    ...(await deliveryFindings(scene)),
    ...(await merchantFindings(scene)),
    ...(await audit(scene.sql)).findings.map(finding => `the audit: ${JSON.stringify(finding)}`),
  ]
}

function wishFindings({ customers }: Scene): string[] {
  return customers.wishes.flatMap(({ key, path, transactions, told, heard }) => [
    ...(told === null ? [`${key} (${path}) was never answered: ${heard}`] : []),
    ...(transactions.size > 1 ? [`${key} (${path}) made ${[...transactions].join(' and ')}`] : []),
  ])
}

/** Transactions that nobody wished for, wishes that came to none, and others than their customers were told. */
async function strangerFindings({ sql, customers, merchantId }: Scene): Promise<string[]> {
  const rows = await sql<{ id: string; source: string; status: string }[]>`
    select id, source, status from transaction where merchant_id = ${merchantId}`
  const byMail = rows.filter(({ source }) => source === 'Email Transaction')
  const byRequest = new Map(rows.filter(row => !byMail.includes(row)).map(({ id, status }) => [id, status]))
  const payments = customers.wishes.filter(({ path }) => path === 'transactions')
  const wished = new Set(payments.flatMap(({ transactions }) => [...transactions]))
  const taken = customers.letters.filter(({ isTaken }) => isTaken).length
  const refused = payments.filter(({ told }) => told !== null && told.json?.transaction === undefined)
  return [
    ...[...byRequest.keys()].filter(id => !wished.has(id)).map(id => `${id} is a transaction that nobody was told of`),
    ...[...wished].filter(id => !byRequest.has(id)).map(id => `${id} was told of, and is not there`),
    ...refused.map(({ key, told }) => `${key} was refused: ${told?.status} ${told?.text}`),
    ...(byMail.length < taken || byMail.length > customers.letters.length
      ? [`${taken} of ${customers.letters.length} mails were taken, and came to ${byMail.length} transactions`]
      : []),
    ...payments.flatMap(({ key, told }) => {
      const { id, status } = told?.json?.transaction ?? {}
      const now = byRequest.get(id)
      return id === undefined || mayFollow(status, now) ? [] : [`${key} was told ${status}, and ${id} is ${now}`]
    }),
  ]
}

const followers: { readonly [status: string]: readonly string[] } = {
  Successful: ['Successful', 'Refunded', 'Partially Refunded'],
  Authorized: ['Authorized', 'Successful', 'Voided', 'Refunded', 'Partially Refunded'],
}

function mayFollow(told: string, now: string | undefined): boolean {
  return now === told || (followers[told] ?? []).includes(now ?? '')
}

interface LedgerRow {
  readonly operationId: string
  readonly transactionId: string
  readonly kind: string
  readonly amountMinor: string
  readonly state: string
}

/** Entry by entry, and so to the cent. */
async function ledgerFindings({ sql, gatewayUrl, gatewayId }: Scene): Promise<string[]> {
  const authorization = `Basic ${Buffer.from(`${gatewayId}:`).toString('base64')}`
  const { json } = await send(`${gatewayUrl}/ledger`, { method: 'GET', headers: { authorization }, body: null })
  const theirs: LedgerRow[] = json.ledger.filter(({ state }: LedgerRow) => state === 'succeeded')
  const ours = await sql<{ id: string; transactionId: string; kind: string; amountMinor: bigint }[]>`
    select id, transaction_id, kind, amount_minor from operation where outcome = 'succeeded' and gateway_id = ${gatewayId}`
  const theirTexts = new Set(theirs.map(({ operationId, ...row }) => entryOf(operationId, row)))
  const ourTexts = new Set(ours.map(({ id, ...row }) => entryOf(id, row)))
  const charged = theirs.filter(({ kind }) => kind === 'charge').map(({ transactionId }) => transactionId)
  const twice = charged.filter((id, index) => charged.indexOf(id) !== index)
  const open = await sql<{ id: string; outcome: string }[]>`
    select id, outcome from operation where outcome in ('pending', 'unknown') and gateway_id = ${gatewayId}`
  return [
    ...[...theirTexts].filter(text => !ourTexts.has(text)).map(text => `at the gateway, not here: ${text}`),
    ...[...ourTexts].filter(text => !theirTexts.has(text)).map(text => `here, not at the gateway: ${text}`),
    ...twice.map(id => `${id} was charged twice`),
    ...open.map(({ id, outcome }) => `operation ${id} is still ${outcome}`),
  ]
}

function entryOf(
  id: string,
  { transactionId, kind, amountMinor }: { transactionId: string; kind: string; amountMinor: string | bigint },
): string {
  return `${kind} ${id} of ${amountMinor} for ${transactionId}`
}

async function deliveryFindings({ sql, merchant, merchantId }: Scene): Promise<string[]> {
  const rows = await sql<
    { id: string; state: string; url: string; transactionId: string; type: string; made: number }[]
  >`
    select d.id, d.state, p.url, e.transaction_id, e.type,
      (select count(*)::int from attempt a where a.merchant_id = d.merchant_id and a.delivery_id = d.id and not a.resend) as made
    from whole_delivery d join event e on e.merchant_id = d.merchant_id and e.id = d.event_id
      join hook_endpoint p on p.merchant_id = d.merchant_id and p.id = d.endpoint_id
    where d.merchant_id = ${merchantId}`
  return rows.flatMap(({ id, state, url, transactionId, type, made }) => {
    const name = `${new URL(url).pathname} ${transactionId} ${type}`
    if (state === 'dropped') return made === attemptsMax ? [] : [`delivery ${id} was dropped after ${made} attempts`]
    if (state !== 'delivered') return [`delivery ${id} (${name}) is ${state}`]
    return merchant.accepted.has(name) ? [] : [`delivery ${id} (${name}) never arrived`]
  })
}

/** Whom the merchant believes must know: what it was told has happened, once and signed. */
async function merchantFindings({ sql, merchant, merchantId }: Scene): Promise<string[]> {
  const events = await sql<{ name: string }[]>`
    select transaction_id || ' ' || type as name from event where merchant_id = ${merchantId}`
  const happened = new Set(events.map(({ name }) => name))
  const untrue = [...merchant.accepted.keys()].filter(name => !isPreSale(name) && !happened.has(withoutPath(name)))
  const begun = await sql<{ id: string }[]>`select id from transaction where merchant_id = ${merchantId}`
  const known = new Set(begun.map(({ id }) => id))
  return [
    ...untrue.map(name => `the merchant was told what never happened: ${name}`),
    ...[...merchant.asked].flatMap(([transaction, times]) => [
      ...(times > 1 ? [`Pre-Sale was asked ${times} times about ${transaction}`] : []),
      ...(known.has(transaction) ? [] : [`Pre-Sale was asked about ${transaction}, which is not there`]),
    ]),
    ...(merchant.badSignatures > 0 ? [`${merchant.badSignatures} signatures were wrong`] : []),
  ]
}

const isPreSale = (name: string) => name.startsWith('/pre-sale ')
const withoutPath = (name: string) => name.slice(name.indexOf(' ') + 1)
