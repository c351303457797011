// The merchant's customers: a list to find one in, and each with cards, payments and mails. What can be done to one is done
// by the routes of REST.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { type CustomerId, type MerchantId, parseUuid } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import { formatAmount } from '../core/money.ts'
import type { Json } from '../core/offer.ts'
import { type Card, canCustomerUse, cardHasExpired, expirationDate, fullName, isConfirmed } from '../core/people.ts'
import { isoTime } from '../core/sale.ts'
import type { ListedCustomer, ShownCustomer } from '../core/shown-customer.ts'
import type { TwoWayPage } from '../core/shown-sale.ts'
import { callerOf } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { textField } from '../http/fields.ts'
import { inListTurn } from '../http/list-limiter.ts'
import { Type } from '../http/schema.ts'
import type { CustomerCard, CustomerRow, WholeCustomer } from './contract/customers.ts'
import type { TransactionRow } from './contract/transactions.ts'
import type { ConsolePorts } from './ports.ts'
import { rowView } from './transactions.ts'
import { sendTwoWayPage, twoWayFields, twoWayPageFrom } from './two-way-pages.ts'

export interface CustomerPorts {
  readonly customers: {
    /** `many`: too many addresses begin so to look through. */
    list(
      merchantId: MerchantId,
      page: TwoWayPage<CustomerId> & { readonly beginning: string | null },
    ): Promise<readonly ListedCustomer[] | 'many'>
    find(merchantId: MerchantId, id: CustomerId): Promise<ShownCustomer | null>
    now(): Date
  }
}

const listQuery = Type.Object({
  ...twoWayFields,
  search: Type.Optional(textField(255, 'Only those whose address begins so.')),
})
const pathId = Type.Object({ id: Type.String() })

export function customerRoutes(app: FastifyInstance, { customers, service }: ConsolePorts & CustomerPorts): void {
  app.get<{ Querystring: Static<typeof listQuery> }>(
    '/customers',
    { config: { needs: 'viewer' }, schema: { querystring: listQuery } },
    async (request, reply) => {
      const page = twoWayPageFrom(request.query, parseUuid<CustomerId>)
      const beginning = request.query.search?.trim() || null
      const asked = { ...page, limit: page.limit + 1, beginning }
      const { merchantId } = callerOf(request)
      const rows = await inListTurn(request, () => customers.list(merchantId, asked))
      if (rows === 'many')
        throw new ApiError(422, { search: 'search fits too many customers: write more of the address.' })
      return sendTwoWayPage(request, reply, service.baseUrl, { rows, page, idOf: ({ id }) => id, render: listedView })
    },
  )

  app.get<{ Params: Static<typeof pathId> }>(
    '/customers/:id',
    { config: { needs: 'viewer' }, schema: { params: pathId } },
    async (request, reply) => {
      const id = parseUuid<CustomerId>(request.params.id)
      const found = id === null ? null : await customers.find(callerOf(request).merchantId, id)
      if (found === null) throw ApiError.notKnown('customer')
      return reply.send(answerText({ customer: { ...customerView(found, customers.now()) } }))
    },
  )
}

function listedView({ newest, ...customer }: ListedCustomer): Json {
  const row: CustomerRow = {
    id: customer.id,
    email: customer.email,
    name: fullName(customer),
    created_at: isoTime(customer.createdAt),
    erased: customer.erasedAt !== null,
    cards: customer.cards,
    newest: newest && {
      id: newest.id,
      created_at: isoTime(newest.createdAt),
      status: newest.status,
      amount: formatAmount(newest.amountMinor, newest.currency),
      currency: newest.currency,
    },
  }
  return { ...row }
}

function customerView(customer: ShownCustomer, now: Date): WholeCustomer {
  const { cards, payments, letters, erasedAt } = customer
  const byMail = cards.find(card => canCustomerUse(card, now))
  return {
    id: customer.id,
    email: customer.email,
    first_name: customer.firstName,
    last_name: customer.lastName,
    sms_number: customer.smsNumber,
    billing: customer.billing,
    shipping: customer.shipping,
    created_at: isoTime(customer.createdAt),
    erased_at: erasedAt === null ? null : isoTime(erasedAt),
    cards: cards.map(card => cardView(card, now, card === byMail)),
    payments: payments.map(rowView) as unknown as readonly TransactionRow[],
    letters: letters.map(({ id, receivedAt, isProven, state, transactionId, closedBecause }) => ({
      ...{ id, received_at: isoTime(receivedAt), proven: isProven, state },
      transaction: transactionId,
      closed_because: closedBecause,
    })),
  }
}

function cardView(card: Card, now: Date, byMail: boolean): CustomerCard {
  return {
    service_token: card.token,
    card_mask: card.mask,
    card_type: card.type,
    expiration_date: expirationDate(card),
    expired: cardHasExpired(card, now),
    gateway: card.gatewayId,
    created_at: isoTime(card.createdAt),
    confirmed: isConfirmed(card),
    by_mail: byMail,
  }
}
