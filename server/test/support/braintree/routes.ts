// The look-alike's routes. What is sent that Braintree does not document is refused as Braintree refuses it: with 403.

import { type Booked, type Books, type Entry, type Refused, treeOf } from './books.ts'
import type { Vault } from './vault.ts'
import { collectionXml, type Tree, xmlOf } from './xml.ts'

export interface Answer {
  readonly status: number
  /** Null: no body. */
  readonly xml: string | null
}
export interface MerchantAccount {
  readonly id: string
  readonly currency: string
  readonly isDefault: boolean
}
interface Facts {
  readonly merchantAccounts: readonly MerchantAccount[]
  readonly pageSize: number
}
type Body = { readonly [name: string]: unknown }

const documented = {
  sale: ['amount', 'order_id', 'merchant_account_id', 'payment_method_token', 'transaction_source', 'options', 'type'],
  options: ['submit_for_settlement'],
  settlement: ['amount'],
  refund: ['amount', 'order_id'],
  customer: ['payment_method_nonce'],
  search: ['order_id', 'created_at', 'voided_at', 'ids'],
} as const
const sources = ['recurring', 'unscheduled', 'recurring_first', 'moto', 'installment', 'installment_first']

const forbidden: Answer = { status: 403, xml: null }
const notFound: Answer = { status: 404, xml: null }

export function createRoutes(books: Books, vault: Vault, facts: Facts) {
  const treeFor = (entry: Entry): Tree => {
    const refunds = books.all().filter(({ refundedId }) => refundedId === entry.id)
    return treeOf(
      entry,
      refunds.map(({ id }) => id),
    )
  }
  const shown = (entry: Entry, status = 200): Answer => ({ status, xml: xmlOf('transaction', treeFor(entry)) })
  const told = (booked: Booked, status = 200): Answer =>
    'code' in booked ? refused('transaction', booked) : shown(booked, status)

  function sell(body: Body): Answer {
    const sale = membersOf(body, 'transaction', documented.sale)
    const options = sale && membersOf(sale, 'options', documented.options)
    if (!sale || !options || sale.type !== 'sale' || !sources.includes(String(sale.transaction_source)))
      return forbidden
    const account = facts.merchantAccounts.find(({ id }) => id === sale.merchant_account_id)
    if (account === undefined) return refused('transaction', { attribute: 'merchant_account_id', code: '91513' })
    const amountMinor = minorOf(sale.amount, account.currency)
    if (amountMinor === null) return refused('transaction', { attribute: 'amount', code: '81503' })
    const card = vault.find(String(sale.payment_method_token))
    if (card === undefined) return refused('transaction', { attribute: 'payment_method_token', code: '91518' })
    const [orderId, submit] = [String(sale.order_id), options.submit_for_settlement === true]
    const { currency, id: merchantAccountId } = account
    const entry = books.sell({ amountMinor, currency, orderId, merchantAccountId, submit }, card)
    const isApproved = entry.status === 'authorized' || entry.status === 'submitted_for_settlement'
    return isApproved ? shown(entry, 201) : declined(treeFor(entry))
  }

  function change(entry: Entry, what: string, body: Body): Answer {
    if (what === 'void') return told(books.release(entry))
    if (what === 'settle') return shown(books.settle(entry))
    const form = membersOf(body, 'transaction', what === 'refund' ? documented.refund : documented.settlement)
    const amountMinor = form && minorOf(form.amount, entry.currency)
    if (!form || amountMinor === null || amountMinor === undefined) return forbidden
    if (what === 'refund') return told(books.refund(entry, amountMinor, String(form.order_id)), 201)
    return told(books.submit(entry, amountMinor))
  }

  function search(body: Body): readonly Entry[] | null {
    const criteria = membersOf(body, 'search', documented.search)
    if (!criteria) return null
    const { order_id: order, created_at: created, voided_at: voided, ids } = criteria as Record<string, Body & string[]>
    const second = (value: unknown) => Math.floor(Date.parse(String(value)) / 1_000)
    const isIn = (range: Body | undefined, time: Date | undefined) =>
      range === undefined ||
      (time !== undefined &&
        second(time.toISOString()) >= second(range.min) &&
        second(time.toISOString()) <= second(range.max))
    const fits = (entry: Entry) =>
      (order === undefined || entry.orderId === order.is) &&
      (ids === undefined || ids.includes(entry.id)) &&
      isIn(created, entry.createdAt) &&
      isIn(voided, entry.history.find(({ status }) => status === 'voided')?.timestamp)
    return books.all().filter(fits).reverse()
  }

  function store(body: Body): Answer {
    const customer = membersOf(body, 'customer', documented.customer)
    if (!customer) return forbidden
    const card = vault.store(String(customer.payment_method_nonce))
    if (card === null) return refused('customer', { attribute: 'payment_method_nonce', code: '91732' })
    return { status: 201, xml: xmlOf('customer', { id: `customer_${card.token}`, creditCards: [card.shown] }) }
  }

  const accounts = (page: number): Answer => {
    const { pageSize, merchantAccounts } = facts
    const items = merchantAccounts.slice((page - 1) * pageSize, page * pageSize)
    const about = { currentPageNumber: page, pageSize, totalItems: merchantAccounts.length }
    const trees = items.map(({ id, currency, isDefault }) => ({
      id,
      status: 'active',
      currencyIsoCode: currency,
      default: isDefault,
    }))
    return { status: 200, xml: collectionXml('merchant-accounts', about, 'merchantAccount', trees) }
  }

  return (line: string, given: unknown): Answer => {
    const body = (given ?? {}) as Body
    const named = /^(\S+) \/transactions\/(\w+)(?:\/(\w+))?$/.exec(line)
    const card = /^(\S+) \/payment_methods\/any\/([\w-]+)$/.exec(line)
    const page = /^GET \/merchant_accounts\?page=(\d+)$/.exec(line)
    if (line === 'POST /transactions') return sell(body)
    if (line === 'POST /customers') return store(body)
    if (line === 'POST /transactions/advanced_search_ids') return idsOf(search(body), facts.pageSize)
    if (line === 'POST /transactions/advanced_search') return pageOf(search(body)?.map(treeFor) ?? null)
    if (page) return accounts(Number(page[1]))
    if (card) return onCard(vault, String(card[1]), String(card[2]))
    const entry = named ? books.find(String(named[2])) : undefined
    if (entry === undefined) return notFound
    return named?.[3] === undefined ? shown(entry) : change(entry, named[3], body)
  }
}

function onCard(vault: Vault, method: string, token: string): Answer {
  const card = vault.find(token)
  if (card === undefined) return notFound
  if (method === 'DELETE') return vault.remove(token) ? { status: 200, xml: null } : notFound
  return { status: 200, xml: xmlOf('creditCard', card.shown) }
}

function idsOf(found: readonly Entry[] | null, pageSize: number): Answer {
  if (found === null) return forbidden
  return { status: 200, xml: xmlOf('searchResults', { pageSize, ids: found.map(({ id }) => id) }) }
}

function pageOf(found: readonly Tree[] | null): Answer {
  if (found === null) return forbidden
  const about = { currentPageNumber: 1, pageSize: found.length, totalItems: found.length }
  return { status: 200, xml: collectionXml('credit-card-transactions', about, 'transaction', found) }
}

export function refused(of: string, { attribute, code }: Refused): Answer {
  const errors = { errors: [], [of]: { errors: [{ code, attribute, message: 'It is wrong.' }] } }
  return { status: 422, xml: xmlOf('apiErrorResponse', { errors, message: 'It is wrong.' }) }
}

function declined(transaction: Tree): Answer {
  const tree = { errors: { errors: [] }, message: String(transaction.status), transaction }
  return { status: 422, xml: xmlOf('apiErrorResponse', tree) }
}

/** Null: not there, or with members that Braintree does not document. */
function membersOf(body: Body, name: string, allowed: readonly string[]): Body | null {
  const value = body[name]
  if (value === null || typeof value !== 'object') return null
  return Object.keys(value).every(key => allowed.includes(key)) ? (value as Body) : null
}

/** Decimal text in the currency's own format. */
function minorOf(amount: unknown, currency: string): bigint | null {
  const pattern = currency === 'JPY' ? /^[0-9]+$/ : /^[0-9]+\.[0-9]{2}$/
  return typeof amount === 'string' && pattern.test(amount) ? BigInt(amount.replace('.', '')) : null
}
