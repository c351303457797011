// What must be true when the storm is over, whatever it did: each sentence is a finding.

import { audit } from '../server/src/store/audit.ts'
import type { Database } from '../server/src/store/database.ts'
import { hookFindings } from './check-hooks.ts'
import { logFindings } from './check-logs.ts'
import { mailFindings } from './check-mails.ts'
import { ledgerFindings, refundFindings } from './check-money.ts'
import type { Customers, Wish } from './customers.ts'
import { pageMark } from './large-inputs.ts'
import type { Merchant } from './merchant.ts'

export interface Scene {
  readonly sql: Database
  readonly customers: Customers
  readonly merchant: Merchant
  readonly merchantId: string
  readonly gatewayUrl: string
  readonly gatewayId: string
  /** What the relay was given: the address of each mail. */
  readonly mailed: readonly string[]
  logged(): string[]
}

export async function findingsOf(scene: Scene): Promise<string[]> {
  return [
    ...wishFindings(scene),
    ...(await toldFindings(scene)),
    ...(await ledgerFindings(scene)),
    ...(await refundFindings(scene)),
    ...(await hookFindings(scene)),
    ...(await mailFindings(scene)),
    ...(await auditFindings(scene)),
    ...logFindings(scene.logged()),
  ]
}

function wishFindings({ customers }: Scene): string[] {
  return customers.wishes.flatMap(wish => {
    const { key, path, transactions, told, toldAgain, heard, broken } = wish
    return [
      ...(told === null || toldAgain === null ? [`${key} (${path}) was never answered: ${heard}`] : []),
      ...(transactions.size > 1 ? [`${key} (${path}) made ${[...transactions].join(' and ')}`] : []),
      ...broken.map(text => `${key} (${path}) was answered 500: ${text}`),
      ...(isSaidAgain(wish) ? [] : [`${key} (${path}) was answered ${saying(told)}, and then ${saying(toldAgain)}`]),
    ]
  })
}

/** One who asks in vain (a refund of more than is left) is refused again, whatever became of the transaction since. */
function isSaidAgain({ told, toldAgain }: Wish): boolean {
  if (told === null || toldAgain === null) return true
  if (told.status !== 200) return toldAgain.status !== 200
  return toldAgain.status === 200 && toldAgain.json.transaction.status === told.json.transaction.status
}

const saying = (answer: Wish['told']) => `${answer?.status} ${answer?.json?.transaction?.status ?? answer?.text}`

/** Transactions that nobody wished for, wishes that came to none, and others than their customers were told. */
async function toldFindings({ sql, customers, merchantId }: Scene): Promise<string[]> {
  const rows = await sql<{ id: string; status: string }[]>`
    select id, status from transaction where merchant_id = ${merchantId} and source <> 'Email Transaction'
      and referrer_context is distinct from ${pageMark}`
  const statuses = new Map(rows.map(({ id, status }) => [id, status]))
  const payments = customers.wishes.filter(({ path }) => path === 'transactions')
  const wished = new Set(payments.flatMap(({ transactions }) => [...transactions]))
  const refused = payments.filter(({ told }) => told !== null && told.json?.transaction === undefined)
  return [
    ...[...statuses.keys()].filter(id => !wished.has(id)).map(id => `${id} is a transaction that nobody was told of`),
    ...[...wished].filter(id => !statuses.has(id)).map(id => `${id} was told of, and is not there`),
    ...refused.map(({ key, told }) => `${key} was refused: ${told?.status} ${told?.text}`),
    ...customers.wishes.flatMap(({ key, path, told }) => {
      const { id, status } = told?.json?.transaction ?? {}
      const now = statuses.get(id)
      return id === undefined || mayFollow(status, now)
        ? []
        : [`${key} (${path}) was told ${status}, and ${id} is ${now}`]
    }),
  ]
}

const followers: { readonly [status: string]: readonly string[] } = {
  Successful: ['Successful', 'Refunded', 'Partially Refunded'],
  'Partially Refunded': ['Partially Refunded', 'Refunded'],
  Authorized: ['Authorized', 'Successful', 'Voided', 'Refunded', 'Partially Refunded'],
}

function mayFollow(told: string, now: string | undefined): boolean {
  return now === told || (followers[told] ?? []).includes(now ?? '')
}

/** By now nothing is on its way: what the audit only notes otherwise is a finding here. */
async function auditFindings({ sql }: Scene): Promise<string[]> {
  const { findings, notes, findingsLeftOut } = await audit(sql)
  const all = [...findings, ...notes]
  const sentences = await Promise.all(all.map(each => describedFinding(sql, JSON.stringify(each))))
  return [...sentences, ...(findingsLeftOut > 0 ? [`the audit: ${findingsLeftOut} more`] : [])]
}

/** With all that is written of the transaction: the database goes with the storm. */
async function describedFinding(sql: Database, finding: string): Promise<string> {
  const [, id] = /transaction ([0-9a-f-]{36})/.exec(finding) ?? []
  if (id === undefined) return `the audit: ${finding}`
  const tables = ['transaction_change', 'event', 'operation', 'ask', 'resolution', 'letter', 'pre_sale_request']
  const rowsOf = async (table: string) => {
    const which = ['ask', 'resolution'].includes(table)
      ? sql`operation_id in (select id from operation where transaction_id = ${id})`
      : sql`transaction_id = ${id}`
    const rows = await sql<
      { row: object }[]
    >`select to_jsonb(x) - 'details' - 'raw' as row from ${sql(table)} x where ${which}`
    return [table, rows.map(({ row }) => row)] as const
  }
  const transaction = await sql<{ row: object }[]>`select to_jsonb(x) as row from transaction x where id = ${id}`
  const rows = Object.fromEntries(await Promise.all(tables.map(rowsOf)))
  return `the audit: ${finding}\n${JSON.stringify({ transaction: transaction.map(({ row }) => row), ...rows }, null, 1)}`
}
