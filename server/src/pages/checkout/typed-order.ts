// Reads what the customer sent from the page, all of it, and finds everything that is wrong with it at once.

import { parseEmail } from '../../core/email.ts'
import type { Offer } from '../../core/offer.ts'
import { answersBytesMax, type Entered } from '../../core/people.ts'
import { parseReferrerContext } from './asked.ts'
import { parseKnownPayment } from './known-payment.ts'
import type { Order, ProvenCustomer } from './ports.ts'
import { typedAddresses } from './typed-address.ts'
import { typedPayment, type WaysToPay } from './typed-card.ts'
import { type Form, type Found, type Problems, typedLine } from './typed-line.ts'
import { totalOf, typedUnits } from './units.ts'

export type TypedOrder = Omit<Order, 'secret' | 'attempt' | 'resumes' | 'address'>

export interface ReadOrder {
  /** Null: something is wrong. */
  readonly order: TypedOrder | null
  readonly problems: Problems
  /** The amount in the form is not what these units cost: nobody pays what was not shown. */
  readonly isOtherTotal: boolean
}

export interface OrderFor extends WaysToPay {
  readonly offer: Offer
  readonly proven: ProvenCustomer | null
}

export const nameCharsMax = 100
export const answerCharsMax = 500

export function readOrder({ offer, proven, ...ways }: OrderFor, form: Form): ReadOrder {
  const found: Found = {}
  // Without its script, the page shows the total of another quantity than the one that was typed since.
  const quantity = typedUnits(offer, form.units ?? form.quantity ?? '')
  const isUnreadable = form.units !== undefined && quantity === null
  if (isUnreadable) found.units = 'units'
  const isShown = quantity !== null && form.total === `${totalOf(offer, quantity)}`
  const isOtherTotal = !isShown && !isUnreadable
  const email = typedEmail(offer, form, found)
  const entered = typedEntered(offer, form, found)
  const pays = typedPayment(ways, form, found)
  if (pays?.kind === 'stored' && email !== null && email !== proven?.email) found.email = 'otherThanProven'
  const isWrong = Object.keys(found).length > 0 || isOtherTotal
  if (isWrong || quantity === null || email === null || pays === null) {
    return { order: null, problems: found, isOtherTotal }
  }
  const referrerContext = parseReferrerContext(form.referrer_context ?? '')
  const order = { quantity, email, entered, pays, besides: parseKnownPayment(form.again ?? ''), referrerContext }
  return { order, problems: {}, isOtherTotal: false }
}

function typedEmail(offer: Offer, form: Form, found: Found): string | null {
  const email = parseEmail(form.email ?? '')
  if (email === null) found.email = 'email'
  else if (offer.email !== null && offer.email !== email) found.email = 'notForThem'
  return email
}

function typedEntered(offer: Offer, form: Form, found: Found): Entered {
  const firstName = typedLine(form, 'first_name', { charsMax: nameCharsMax, required: true }, found)
  const lastName = typedLine(form, 'last_name', { charsMax: nameCharsMax, required: false }, found)
  const { billing, shipping } = typedAddresses(offer, form, found)
  return {
    firstName,
    lastName,
    billing,
    shipping,
    answers: typedAnswers(offer, form, found),
  }
}

/** By number: a merchant may call a custom field as one of ours is called. */
export function answerField(index: number): string {
  return `answer_${index + 1}`
}

function typedAnswers({ customFields }: Offer, form: Form, found: Found): Entered['answers'] {
  const typed = customFields.map(({ name, required }, index) => {
    const answer = typedLine(form, answerField(index), { charsMax: answerCharsMax, required }, found)
    return [name, answer] as const
  })
  const answers = Object.fromEntries(typed.filter((pair): pair is [string, string] => pair[1] !== null))
  if (Buffer.byteLength(JSON.stringify(answers)) > answersBytesMax) found[longestOf(typed)] = 'answersTooLong'
  return answers
}

/** Where shortening helps most. */
function longestOf(typed: readonly (readonly [string, string | null])[]): string {
  const lengths = typed.map(([, answer]) => answer?.length ?? 0)
  return answerField(lengths.indexOf(Math.max(...lengths)))
}
