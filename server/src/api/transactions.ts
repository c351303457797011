// Create, list, show, refund, capture, void.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { isWhollyCardNumber, maskCardNumbers } from '../core/card-number.ts'
import { chargeOffer } from '../core/charge.ts'
import { lowerCaseEmail } from '../core/email.ts'
import { followUp } from '../core/follow-up.ts'
import { type OfferId, parseCardToken, parseUuid, type TransactionId } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import { amountTextForComparison } from '../core/money.ts'
import { transactionRecord } from '../core/record.ts'
import { sources, transactionStatuses } from '../core/transaction.ts'
import { callerOf, refuseInQuery, repetitionOf, sendReply } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import {
  amountField,
  flagField,
  flagFrom,
  knownEmailField,
  oneOfField,
  requiredTextField,
  textField,
  timeField,
  timeFrom,
  wholeNumberField,
} from '../http/fields.ts'
import { pageFields, pageFrom, sendPage } from '../http/list-pages.ts'
import { Type } from '../http/schema.ts'
import { answersWith, answersWithList, moneyAnswers, transactionAnswer } from './answers.ts'
import type { ApiPorts } from './ports.ts'

const createBody = Type.Object(
  {
    service_offer: requiredTextField(255, 'Identifier of the Offer object.'),
    token: requiredTextField(255, 'Identifier of the stored credit card object.'),
    quantity: Type.Optional(wholeNumberField(1, 9999, 'Units to buy; 1 by default.')),
    authorization_only: Type.Optional(flagField('Authorise now, capture later.')),
    referrer_context: Type.Optional(textField(255, 'Comes back in every hook.')),
  },
  {
    notTaken: {
      amount: 'is not an argument of a transaction: the amount is that of the offer, times the quantity.',
      currency: 'is not an argument of a transaction: the currency is that of the offer.',
    },
  },
)

const listQuery = Type.Object({
  ...pageFields,
  status: Type.Optional(oneOfField(transactionStatuses, 'Only those in this state.')),
  source: Type.Optional(oneOfField(sources, 'Only those from this source.')),
  offer: Type.Optional(textField(255, 'Only those of this offer.')),
  email: Type.Optional(knownEmailField('Only those of this customer.')),
  created_after: Type.Optional(timeField('Only those created after this time.')),
  created_before: Type.Optional(timeField('Only those created before this time.')),
})

const refundBody = Type.Object({
  transaction: requiredTextField(255, 'Identifier of the Transaction.'),
  amount: Type.Optional(amountField('How much to refund; all that is left by default.')),
  user: Type.Optional(textField(255, 'Who asks for the refund.')),
  notes: Type.Optional(textField(2500, 'Why.')),
})

const captureBody = Type.Object({
  amount: Type.Optional(amountField('How much to capture, at most what is authorised; all of it by default.')),
})

const pathId = Type.Object({ id: Type.String() })
type PathId = Static<typeof pathId>
const about = { about: 'transaction' } as const

export function transactionRoutes(app: FastifyInstance, ports: ApiPorts): void {
  const { core, store } = ports

  app.post<{ Body: Static<typeof createBody> }>(
    '/transactions',
    {
      config: about,
      schema: { summary: 'Create a Transaction', body: createBody, tags: ['transactions'], ...moneyAnswers },
      preValidation: async request => refuseInQuery(request, ['service_offer', 'token']),
    },
    async (request, reply) =>
      sendReply(reply, await ports.finish(chargeOffer(core, chargeCommand(request, request.body)))),
  )

  app.get<{ Querystring: Static<typeof listQuery> }>(
    '/transactions',
    {
      config: about,
      schema: {
        summary: 'List Transactions',
        querystring: listQuery,
        tags: ['transactions'],
        ...answersWithList('transaction', transactionAnswer),
      },
      preValidation: async request => refuseInQuery(request, ['service_offer', 'token']),
    },
    async (request, reply) => {
      const filter = saleFilter(request.query)
      const { merchantId } = callerOf(request)
      return sendPage(request, reply, core.service.baseUrl, {
        page: filter,
        read: part => store.listSales(merchantId, { ...filter, ...part }),
        readsFewer: true,
        idOf: sale => sale.transaction.id,
        render: sale => transactionRecord(sale, core.service),
      })
    },
  )

  app.get<{ Params: PathId }>(
    '/transactions/:id',
    {
      config: about,
      schema: {
        summary: 'Show a Transaction',
        params: pathId,
        tags: ['transactions'],
        ...answersWith('transaction', transactionAnswer),
      },
    },
    async (request, reply) => {
      const id = parseUuid<TransactionId>(request.params.id)
      const sale = id === null ? null : await core.store.load(callerOf(request).merchantId, id)
      if (sale === null) throw ApiError.notKnown('transaction')
      return reply.send(answerText({ transaction: transactionRecord(sale, core.service) }))
    },
  )

  app.post<{ Body: Static<typeof refundBody> }>(
    '/transactions/refunds',
    {
      config: about,
      schema: { summary: 'Refund a Transaction', body: refundBody, tags: ['transactions'], ...moneyAnswers },
      preValidation: async request => refuseInQuery(request, ['transaction', 'amount', 'user', 'notes']),
    },
    async (request, reply) => {
      const { transaction, amount = null, user, notes } = request.body
      const transactionId = parseUuid<TransactionId>(transaction)
      const refundedBy = user === undefined ? null : maskCardNumbers(user)
      const refundedReason = notes === undefined ? null : maskCardNumbers(notes)
      const asked = {
        ...{ transaction: transactionId ?? transaction, amount: comparable(amount) },
        ...{ user: refundedBy, notes: refundedReason },
      }
      const command = {
        merchantId: callerOf(request).merchantId,
        transactionId,
        kind: 'refund' as const,
        amount,
        refundedBy,
        refundedReason,
        repetition: repetitionOf(request, 'refunds', asked),
      }
      return sendReply(reply, await ports.finish(followUp(core, command)))
    },
  )

  for (const kind of ['capture', 'void'] as const) {
    const body = kind === 'capture' ? captureBody : Type.Object({})
    app.post<{ Params: PathId; Body: Static<typeof captureBody> }>(
      `/transactions/:id/${kind}`,
      {
        config: about,
        schema: {
          summary: `${kind === 'void' ? 'Release' : 'Capture'} an authorisation`,
          params: pathId,
          body,
          ...moneyAnswers,
          tags: ['transactions'],
        },
      },
      async (request, reply) => {
        const amount = kind === 'capture' ? (request.body.amount ?? null) : null
        const transactionId = parseUuid<TransactionId>(request.params.id)
        const repetition = repetitionOf(request, kind, {
          id: transactionId ?? request.params.id,
          amount: comparable(amount),
        })
        const { merchantId } = callerOf(request)
        const command = { merchantId, transactionId, kind, amount, refundedBy: null, refundedReason: null, repetition }
        return sendReply(reply, await ports.finish(followUp(core, command)))
      },
    )
  }
}

const comparable = (amount: string | null) => (amount === null ? null : amountTextForComparison(amount))

function chargeCommand(request: FastifyRequest, body: Static<typeof createBody>) {
  const { referrer_context: referrerContext = null } = body
  if (referrerContext !== null && isWhollyCardNumber(referrerContext)) {
    throw new ApiError(422, { referrer_context: 'referrer_context must not be a card number.' })
  }
  const offerId = parseUuid<OfferId>(body.service_offer)
  const cardToken = parseCardToken(body.token)
  const quantity = Number(body.quantity ?? 1)
  const authorizationOnly = flagFrom(body.authorization_only)
  const asked = { offer: offerId ?? body.service_offer, card: body.token, quantity, authorizationOnly, referrerContext }
  return {
    merchantId: callerOf(request).merchantId,
    offerId,
    cardToken,
    quantity,
    authorizationOnly,
    referrerContext,
    entered: null,
    source: 'Web Transaction' as const,
    repetition: repetitionOf(request, 'transactions', asked),
  }
}

function saleFilter(query: Static<typeof listQuery>) {
  const time = (text: string | undefined) => (text === undefined ? null : timeFrom(text))
  const offer = query.offer === undefined ? null : parseUuid<OfferId>(query.offer)
  if (query.offer !== undefined && offer === null) throw new ApiError(422, { offer: "offer must be an offer's id." })
  return {
    ...pageFrom(query, parseUuid<TransactionId>),
    status: query.status ?? null,
    source: query.source ?? null,
    offer,
    email: query.email === undefined ? null : lowerCaseEmail(query.email),
    createdAfter: time(query.created_after),
    createdBefore: time(query.created_before),
  }
}
