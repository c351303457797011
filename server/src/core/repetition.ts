// A request that comes again gets the first one's answer; it never makes a second charge.

import { type Answer, chargeAnswer, followUpAnswer, refusal } from './answer.ts'
import type { CustomerId, MerchantId, TransactionId } from './ids.ts'
import { answerText } from './json.ts'
import type { EarlierRequest, Ports, Repetition, Reply } from './ports.ts'

export const keyHeader = 'Idempotency-Key'

export const stillProcessingSentence = 'The same request is still being processed.'
export const stillProcessing = refusal(409, { general: stillProcessingSentence })

/**
 * Whose personal data an answer contains that is kept for repetitions: when they are erased, it is emptied. `email`: of somebody
 * who may be no customer.
 */
export type AnswerSubject =
  | { readonly transactionId: TransactionId }
  | { readonly customerId: CustomerId }
  | { readonly email: string }

/** What a repetition gets in place of an answer that named an erased customer. */
export const erasedStatus = 410
export const erasedSentence = 'The customer was erased, and this answer with it.'

/** Of all refusals with 409, only this one goes away by itself: a client sees by it that waiting will do. */
export const stillProcessingForMs = 1_000

/** `busyForMs`: what a gateway said that takes no more requests; it goes with the failure that it was, and no other answer. */
export function replyWith(answer: Answer, busyForMs?: number): Reply {
  const retryAfterMs = answer === stillProcessing ? stillProcessingForMs : answer.status === 502 ? busyForMs : undefined
  const reply = { status: answer.status, text: answerText(answer.body), replayed: false }
  return retryAfterMs === undefined ? reply : { ...reply, retryAfterMs }
}

/** The answer to give when this request was made before; null: it is the first. */
export async function earlierReply(
  ports: Ports,
  merchantId: MerchantId,
  repetition: Repetition | null,
): Promise<Reply | null> {
  if (repetition === null) return null
  const earlier = await ports.store.findEarlier(merchantId, repetition)
  return earlier === null ? null : replyToRepetition(ports, earlier, repetition)
}

/**
 * A refusal, unless the same request got through meanwhile: the unit that is missing, or the state that does not fit, may
 * be its own first one's doing.
 */
export async function refuseOrRepeat(
  ports: Ports,
  merchantId: MerchantId,
  repetition: Repetition | null,
  refused: Answer,
): Promise<Reply> {
  return (await earlierReply(ports, merchantId, repetition)) ?? replyWith(refused)
}

function replyToRepetition(ports: Ports, earlier: EarlierRequest, repetition: Repetition): Reply {
  if (earlier.argumentsHash !== repetition.argumentsHash) {
    return replyWith(refusal(422, { general: `${keyHeader} was already used with other arguments.` }))
  }
  const { first } = earlier
  if (first.kind === 'answer') return { status: first.status, text: first.text, replayed: true }
  // The client of a GET without a key did not say that it repeats something: it is told.
  const replayed = repetition.replayedForMs !== undefined
  const { sale, operation, running } = first
  if (running) return { ...replyWith(stillProcessing), replayed }
  const answer = operation === null ? chargeAnswer(sale, ports.service) : followUpAnswer(sale, operation, ports.service)
  return { ...replyWith(answer), replayed }
}
