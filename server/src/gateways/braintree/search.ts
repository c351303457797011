// Braintree's search: first the ids of all that fits, then the transactions by pages of ids. Whatever is missing from a
// page makes the whole unreadable: half a list is no list.

import type { Unknown } from '../../core/gateway.ts'
import { asUnknown, type Failed, unknown } from './failures.ts'
import type { Line } from './line.ts'
import { isMembers, listIn } from './members.ts'
import { type BraintreeTransaction, readTransaction } from './transaction.ts'

interface Criteria {
  readonly orderId?: { readonly is: string }
  readonly createdAt?: Range
  readonly voidedAt?: Range
}
interface Range {
  readonly min: string
  readonly max: string
}

/** Reading a page takes the event loop about a millisecond for each transaction, so a page has fewer than Braintree allows. */
const pageSizeMax = 20
/** Braintree cuts long results off, at ten thousand or more; from so many on a span is read in halves. */
const resultsMax = 10_000

/** All transactions with this order id, declined ones included. */
export async function findByOrderId(line: Line, orderId: string): Promise<readonly BraintreeTransaction[] | Unknown> {
  const criteria = { orderId: { is: orderId } }
  const found = await searchIds(line, criteria)
  if ('kind' in found) return asUnknown(found)
  const transactions: BraintreeTransaction[] = []
  for (const page of pagesOf(found)) {
    const read = await readPage(line, criteria, page)
    if ('kind' in read) return asUnknown(read)
    transactions.push(...read)
  }
  return transactions.every(transaction => transaction.orderId === orderId)
    ? transactions
    : unknown('Braintree found other order ids than the one asked for.')
}

/** All that were made, or voided, from `from` on and before `to`. Throws when they cannot be read to their end. */
export async function* listByTime(
  line: Line,
  by: 'createdAt' | 'voidedAt',
  from: Date,
  to: Date,
): AsyncGenerator<BraintreeTransaction> {
  if (from >= to) return
  const criteria = { [by]: { min: from.toISOString(), max: to.toISOString() } }
  const found = await searchIds(line, criteria)
  if ('kind' in found) throw new Error(`Braintree's list could not be read. ${asUnknown(found).cause}`)
  if (found.ids.length >= resultsMax) {
    const middle = new Date(Math.floor((from.getTime() + to.getTime()) / 2_000) * 1_000)
    if (middle <= from) throw new Error(`Braintree's list has too many entries at ${from.toISOString()}.`)
    yield* listByTime(line, by, middle, to)
    yield* listByTime(line, by, from, middle)
    return
  }
  for (const page of pagesOf(found)) {
    const read = await readPage(line, criteria, page)
    if ('kind' in read) throw new Error(`Braintree's list could not be read to its end. ${asUnknown(read).cause}`)
    yield* read.filter(({ [by]: time }) => time !== null && time >= from && time < to)
  }
}

interface FoundIds {
  readonly ids: readonly string[]
  readonly pageSize: number
}

async function searchIds(line: Line, search: Criteria): Promise<FoundIds | Failed> {
  const asked = await line.ask((sdk, path) => sdk.http.post(`${path}/transactions/advanced_search_ids`, { search }))
  if (asked.kind !== 'answered') return asked
  const results = isMembers(asked.answer) ? asked.answer.searchResults : null
  const [ids, pageSize] = isMembers(results) ? [results.ids, results.pageSize] : []
  if (!Array.isArray(ids) || !ids.every(id => typeof id === 'string') || typeof pageSize !== 'number')
    return unreadable()
  return pageSize >= 1 ? { ids, pageSize: Math.min(pageSize, pageSizeMax) } : unreadable()
}

function* pagesOf({ ids, pageSize }: FoundIds): Generator<readonly string[]> {
  for (let start = 0; start < ids.length; start += pageSize) yield ids.slice(start, start + pageSize)
}

async function readPage(
  line: Line,
  criteria: Criteria,
  ids: readonly string[],
): Promise<readonly BraintreeTransaction[] | Failed> {
  const search = { ...criteria, ids }
  const asked = await line.ask((sdk, path) => sdk.http.post(`${path}/transactions/advanced_search`, { search }))
  if (asked.kind !== 'answered') return asked
  const page = isMembers(asked.answer) ? asked.answer.creditCardTransactions : null
  if (!isMembers(page)) return unreadable()
  const read = listIn(page, 'transaction').map(readTransaction)
  const byId = new Map(read.flatMap(transaction => (transaction === null ? [] : [[transaction.id, transaction]])))
  const inOrder = ids.flatMap(id => byId.get(id) ?? [])
  return inOrder.length === ids.length && read.length === ids.length ? inOrder : unreadable()
}

function unreadable(): Unknown {
  return unknown('The results of the search were not understood.')
}
