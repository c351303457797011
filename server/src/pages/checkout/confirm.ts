// Confirms a payment by mail: one press on the page behind a mailed link pays it, with the card that the page names.

import type { FastifyReply } from 'fastify'
import type { CheckoutSecret } from '../../core/checkout.ts'
import type { CardToken } from '../../core/ids.ts'
import { isSomethingMissing } from '../../core/pay-by-letter.ts'
import type { Card, Entered } from '../../core/people.ts'
import type { Sale } from '../../core/sale.ts'
import { checkoutPath } from './asked.ts'
import { filledIn } from './filled-in.ts'
import { answer, asAskedByMail, toPayment } from './pay.ts'
import type { Order, Proof, ProofPorts, Visit } from './ports.ts'
import { paymentPath } from './show.ts'
import { goTo, paymentOf, type Visitor } from './visitor.ts'

/**
 * What a press pays with. Null: there is none, something has to be answered first, or the link went to somebody else, who
 * sees a whole form before they pay what they did not ask for.
 */
export async function cardAtOnce(
  { found }: Visitor,
  proofs: ProofPorts,
  { email }: Proof,
  { customer: asks, transaction }: Sale,
): Promise<Card | null> {
  if (email !== asks.email) return null
  const [{ customer }, card] = await Promise.all([
    proofs.whoIs(found, email),
    proofs.cardToConfirm(found, email, transaction.tokenSha256),
  ])
  return customer === null || isSomethingMissing(found.offer, customer) ? null : card
}

export interface Pressed {
  readonly secret: CheckoutSecret
  readonly card: CardToken
}

/** Pressed twice it is the same try of the same checkout; and one payment, whoever pressed. */
export async function confirm(visitor: Visitor, proof: Proof, { secret, card }: Pressed): Promise<FastifyReply> {
  const { ports, request, found } = visitor
  const of = { secret, attempt: 0, resumes: proof.resumes }
  const [visit, resumes] = await Promise.all([
    ports.visit(found, secret),
    proof.resumes === null ? null : ports.findWaiting(found.offer.id, proof.resumes),
  ])
  const payment = paymentOf(visit)
  if (payment !== null) return toPayment({ ...visitor, of }, payment.transaction.id)
  if (resumes === null) return goTo(visitor, howItStands(visitor, proof, visit))
  const form = { ...filledIn(found.offer, visit, null), ...asAskedByMail(resumes), card }
  const order: Order = {
    ...of,
    quantity: resumes.transaction.quantity,
    email: proof.email,
    entered: knownOf(visit),
    pays: { kind: 'stored', token: card },
    besides: null,
    referrerContext: null,
    address: request.ip,
  }
  return answer({ ...visitor, resumes, form, of, visit }, await ports.pay(found, order))
}

/** The form says why its own try failed. What somebody else did with the payment stands on its page. */
function howItStands(visitor: Visitor, { resumes }: Proof, { standing }: Visit): string {
  const { frame, found } = visitor
  return standing !== null || resumes === null ? checkoutPath(frame.root, found.offer) : paymentPath(visitor, resumes)
}

/** Nothing was typed: what is known of the customer is what they confirm, and stays with the payment as what is typed does. */
function knownOf({ proven }: Visit): Entered {
  const { firstName = null, lastName = null, billing = null, shipping = null } = proven?.customer ?? {}
  return { firstName, lastName, billing, shipping, answers: {} }
}
