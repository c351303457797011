// The merchant's transactions: a list to find one in, each with its whole story, and all of them as a file. What can be done
// to one is done by the routes of REST.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { possibleMinor } from '../core/follow-up.ts'
import { type CustomerId, type MerchantId, type OfferId, parseUuid, type TransactionId } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import { formatAmount } from '../core/money.ts'
import type { Json } from '../core/offer.ts'
import { fullName } from '../core/people.ts'
import { transactionRecord } from '../core/record.ts'
import { isoTime } from '../core/sale.ts'
import type { SaleHistory } from '../core/sale-history.ts'
import {
  idsThatBegin,
  type SaleChoice,
  type SalesFound,
  type ShownSale,
  saleNeeds,
  type TwoWayPage,
} from '../core/shown-sale.ts'
import { sources, type TransactionStatus, transactionStatuses } from '../core/transaction.ts'
import { callerOf } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { oneOfField, textField, timeField, timeFrom } from '../http/fields.ts'
import { inListTurn } from '../http/list-limiter.ts'
import { Type } from '../http/schema.ts'
import type { TransactionRow, WholeTransaction } from './contract/transactions.ts'
import type { ConsolePorts } from './ports.ts'
import { exportRoutes } from './sales-file.ts'
import { timelineOf } from './timeline.ts'
import { sendTwoWayPage, twoWayFields, twoWayPageFrom } from './two-way-pages.ts'

export interface TransactionPorts {
  readonly sales: {
    list(merchantId: MerchantId, choice: SaleChoice, page: TwoWayPage<TransactionId>): Promise<readonly ShownSale[]>
    /** Whom and what a text may mean. `many`: too many to look through. */
    search(merchantId: MerchantId, text: string): Promise<Pick<SalesFound, 'customers' | 'offers'> | 'many'>
    history(merchantId: MerchantId, id: TransactionId): Promise<SaleHistory | null>
  }
}

const choiceFields = {
  status: Type.Optional(textField(255, 'Only those in one of these states, separated by commas.')),
  source: Type.Optional(oneOfField(sources, 'Only those from this source.')),
  needs: Type.Optional(oneOfField(saleNeeds, 'Only those that somebody may have to see to, for this reason.')),
  offer: Type.Optional(textField(64, 'Only those of this offer.')),
  customer: Type.Optional(textField(64, 'Only those of this customer.')),
  created_after: Type.Optional(timeField('Only those created after this time.')),
  created_before: Type.Optional(timeField('Only those created before this time.')),
  search: Type.Optional(textField(255, 'The beginning of an id or of an address, or a ref_id.')),
}
const choiceQuery = Type.Object(choiceFields)
const listQuery = Type.Object({ ...choiceFields, ...twoWayFields })
type ChoiceQuery = Static<typeof choiceQuery>
const pathId = Type.Object({ id: Type.String() })

export function transactionRoutes(app: FastifyInstance, ports: ConsolePorts & TransactionPorts): void {
  const { sales, service } = ports

  app.get<{ Querystring: Static<typeof listQuery> }>(
    '/transactions',
    { config: { needs: 'viewer' }, schema: { querystring: listQuery } },
    async (request, reply) => {
      const choice = await choiceIn(ports, request)
      const page = twoWayPageFrom(request.query, parseUuid<TransactionId>)
      const { merchantId } = callerOf(request)
      const rows = choice === null ? [] : await inListTurn(request, () => sales.list(merchantId, choice, oneMore(page)))
      return sendTwoWayPage(request, reply, service.baseUrl, { rows, page, idOf: ({ id }) => id, render: rowView })
    },
  )

  app.get<{ Params: Static<typeof pathId> }>(
    '/transactions/:id',
    { config: { needs: 'viewer' }, schema: { params: pathId } },
    async (request, reply) => {
      const id = parseUuid<TransactionId>(request.params.id)
      const { merchantId } = callerOf(request)
      const history = id === null ? null : await inListTurn(request, () => sales.history(merchantId, id))
      if (history === null) throw ApiError.notKnown('transaction')
      return sendWhole(reply, history, ports)
    },
  )

  exportRoutes(app, ports, choiceQuery, request => choiceIn(ports, request))
}

/** One row more than the page has says whether it goes on. */
function oneMore<Id>(page: TwoWayPage<Id>): TwoWayPage<Id> {
  return { ...page, limit: page.limit + 1 }
}

function sendWhole(reply: FastifyReply, history: SaleHistory, { service }: ConsolePorts): FastifyReply {
  const { sale } = history
  const { currency, customerId } = sale.transaction
  const possible = possibleMinor(sale)
  const amountOrNull = (minor: bigint) => (minor === 0n ? null : formatAmount(minor, currency))
  const whole = {
    transaction: transactionRecord(sale, service) as unknown as WholeTransaction['transaction'],
    currency,
    customer: { id: customerId },
    possible: {
      refund: amountOrNull(possible.refund),
      capture: amountOrNull(possible.capture),
      void: amountOrNull(possible.void),
    },
    timeline: timelineOf(history),
  } satisfies WholeTransaction
  return reply.send(answerText(whole))
}

export function rowView(sale: ShownSale): { [name: string]: Json } {
  const { currency, cardMask, cardType } = sale
  const row: TransactionRow = {
    id: sale.id,
    created_at: isoTime(sale.createdAt),
    status: sale.status,
    source: sale.source,
    in_doubt: sale.inDoubt,
    amount: formatAmount(sale.amountMinor, currency),
    captured: formatAmount(sale.capturedMinor, currency),
    refunded: formatAmount(sale.refundedMinor, currency),
    currency,
    customer: { id: sale.customerId, name: fullName(sale), email: sale.email },
    card: cardMask === null || cardType === null ? null : { mask: cardMask, type: cardType },
    offer: { id: sale.offerId, title: sale.offerTitle, ref_id: sale.offerRefId },
    told: sale.told,
  }
  return row as unknown as { [name: string]: Json }
}

/** Null: nothing can fit. */
async function choiceIn(ports: TransactionPorts, request: FastifyRequest): Promise<SaleChoice | null> {
  const query = request.query as ChoiceQuery
  const time = (text: string | undefined) => (text === undefined ? null : timeFrom(text))
  const search = query.search?.trim() ?? ''
  const oneOf = search === '' ? null : await searchedFor(ports, callerOf(request).merchantId, search)
  if (oneOf !== null && oneOf.ids === null && oneOf.customers.length + oneOf.offers.length === 0) return null
  return {
    statuses: query.status === undefined ? [] : query.status.split(',').map(statusFrom),
    source: query.source ?? null,
    needs: query.needs ?? null,
    offer: idIn<OfferId>(query, 'offer'),
    customer: idIn<CustomerId>(query, 'customer'),
    createdAfter: time(query.created_after),
    createdBefore: time(query.created_before),
    oneOf,
  }
}

const searchCharsMin = 3

async function searchedFor(ports: TransactionPorts, merchantId: MerchantId, text: string): Promise<SalesFound> {
  if (text.length < searchCharsMin) {
    throw new ApiError(422, { search: `search must be at least ${searchCharsMin} characters.` })
  }
  const found = await ports.sales.search(merchantId, text)
  if (found === 'many') throw new ApiError(422, { search: tooMany })
  return { ...found, ids: idsThatBegin(text) }
}

export const tooMany = 'search fits too many customers or offers: write more of it.'

function statusFrom(text: string): TransactionStatus {
  const status = transactionStatuses.find(each => each === text.trim())
  if (status !== undefined) return status
  throw new ApiError(422, { status: `status must be of: ${transactionStatuses.join(', ')}.` })
}

function idIn<Id extends OfferId | CustomerId>(query: ChoiceQuery, field: 'offer' | 'customer'): Id | null {
  const text = query[field]
  if (text === undefined) return null
  const id = parseUuid<Id>(text)
  if (id === null) throw new ApiError(422, { [field]: `${field} must be the id of one.` })
  return id
}
