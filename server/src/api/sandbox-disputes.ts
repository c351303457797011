// Only in sandbox mode: play the bank that takes a payment back, or does not.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { disputeStatuses } from '../core/gateway.ts'
import { parseUuid, type TransactionId } from '../core/ids.ts'
import { transactionRecord } from '../core/record.ts'
import { type DisputeCommand, disputeInSandbox } from '../core/sandbox-dispute.ts'
import { answerOnce, callerOf, keyedAnswer, sendReply } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { amountField, oneOfField, requiredTextField } from '../http/fields.ts'
import { Type } from '../http/schema.ts'
import { answersWith, transactionAnswer } from './answers.ts'
import type { ApiPorts } from './ports.ts'

const disputeBody = Type.Object({
  transaction: requiredTextField(255, 'Identifier of the Transaction, charged by a gateway of type `test`.'),
  status: Type.Optional(oneOfField(disputeStatuses, 'How it stands, for you; open by default.')),
  amount: Type.Optional(amountField('How much is disputed; by default all that was captured.')),
  reason: Type.Optional(requiredTextField(255, "In the gateway's words; fraudulent by default.")),
})

export function sandboxDisputeRoutes(app: FastifyInstance, ports: ApiPorts): void {
  app.post<{ Body: Static<typeof disputeBody> }>(
    '/sandbox/disputes',
    {
      config: { about: 'transaction' },
      schema: {
        summary: 'Dispute a Transaction, as the bank of its card would',
        tags: ['sandbox'],
        body: disputeBody,
        ...answersWith('transaction', transactionAnswer),
      },
    },
    async (request, reply) => {
      const { transaction, amount = null, status = 'open', reason = 'fraudulent' } = request.body
      const { merchantId } = callerOf(request)
      const transactionId = parseUuid<TransactionId>(transaction)
      if (transactionId === null) throw ApiError.notKnown('transaction')
      const asked = { transaction: transactionId, amount, status, reason }
      const answer = await answerOnce(request, ports.store, 'sandbox disputes', asked, () =>
        dispute(ports, { merchantId, transactionId, amount, status, reason }),
      )
      return sendReply(reply, answer)
    },
  )
}

async function dispute(ports: ApiPorts, command: DisputeCommand) {
  await refuseOtherGateways(ports, command)
  const disputed = await ports.finish(disputeInSandbox(ports.core, command))
  if ('kind' in disputed) {
    const { status, field, says } = disputed
    throw new ApiError(status, { [field]: `${field} ${says}` })
  }
  return keyedAnswer(
    { transaction: transactionRecord(disputed, ports.core.service) },
    { transactionId: command.transactionId },
  )
}

/** Another gateway has banks of its own, whose word counts. */
async function refuseOtherGateways(
  { core, store }: ApiPorts,
  { merchantId, transactionId }: DisputeCommand,
): Promise<void> {
  const sale = await core.store.load(merchantId, transactionId)
  const gateway = sale === null ? null : await store.findGateway(merchantId, sale.transaction.gatewayId)
  if (gateway !== null && gateway.type !== 'test')
    throw new ApiError(409, { transaction: `transaction is at a gateway of type ${gateway.type}: dispute it there.` })
}
