// What the sandbox can be made to do, and by which card or amount. Tables, so that the documentation lists what runs.

import type { CardDetails, CardType, DeclineCode } from '../../core/gateway.ts'

/** How the sandbox treats one operation. `before` and `after` say whether the money had moved when the answer was lost. */
export type Behaviour =
  | { readonly kind: 'succeed' }
  | { readonly kind: 'decline'; readonly code: DeclineCode }
  | { readonly kind: 'slow'; readonly answerAfterMs: number }
  | { readonly kind: 'time_out_before' }
  | { readonly kind: 'time_out_after' }
  | { readonly kind: 'reset_after' }
  | { readonly kind: 'answer_twice' }
  | { readonly kind: 'wrong_amount' }
  | { readonly kind: 'three_d_secure' }

interface NamedBehaviour {
  readonly behaviour: Behaviour
  readonly does: string
}

function decline(code: DeclineCode): NamedBehaviour {
  return { behaviour: { kind: 'decline', code }, does: `is declined: ${code}` }
}

/** By the name that the vault keeps in place of a card's number. */
export const behaviours = {
  success: { behaviour: { kind: 'succeed' }, does: 'succeeds' },
  card_declined: decline('card_declined'),
  insufficient_funds: decline('insufficient_funds'),
  expired_card: decline('expired_card'),
  incorrect_cvc: decline('incorrect_cvc'),
  lost_card: decline('lost_card'),
  stolen_card: decline('stolen_card'),
  fraud_suspected: decline('fraud_suspected'),
  limit_exceeded: decline('limit_exceeded'),
  card_not_supported: decline('card_not_supported'),
  processing_error: decline('processing_error'),
  slow: { behaviour: { kind: 'slow', answerAfterMs: 3_000 }, does: 'succeeds at once, is first answered after 3 s' },
  time_out_before: {
    behaviour: { kind: 'time_out_before' },
    does: 'is never carried out and never answered, however often it is sent',
  },
  time_out_after: {
    behaviour: { kind: 'time_out_after' },
    does: 'succeeds, and the first sending is never answered; later ones are',
  },
  reset_after: {
    behaviour: { kind: 'reset_after' },
    does: 'succeeds, and the first sending ends in a reset connection; later ones are answered',
  },
  answer_twice: { behaviour: { kind: 'answer_twice' }, does: 'succeeds, and the first sending is answered twice' },
  wrong_amount: {
    behaviour: { kind: 'wrong_amount' },
    does: 'succeeds with one minor unit less than asked (one more where 1 was asked), and says so',
  },
  three_d_secure: { behaviour: { kind: 'three_d_secure' }, does: 'waits for a 3-D Secure challenge' },
} as const satisfies Record<string, NamedBehaviour>
export type BehaviourName = keyof typeof behaviours

export interface TestCard {
  readonly number: string
  readonly type: CardType
  readonly behaviour: BehaviourName
}

/** Every number that the sandbox takes. What a card does, it does to charges; amounts (below) reach the other kinds too. */
export const testCards: readonly TestCard[] = [
  { number: '4111111111111111', type: 'visa', behaviour: 'success' },
  { number: '5555555555554444', type: 'master', behaviour: 'success' },
  { number: '6011111111111117', type: 'discover', behaviour: 'success' },
  { number: '378282246310005', type: 'american_express', behaviour: 'success' },
  { number: '4012888888881881', type: 'visa', behaviour: 'card_declined' },
  { number: '5105105105105100', type: 'master', behaviour: 'card_declined' },
  { number: '6011000990139424', type: 'discover', behaviour: 'card_declined' },
  { number: '371449635398431', type: 'american_express', behaviour: 'card_declined' },
  { number: '4000001000001008', type: 'visa', behaviour: 'insufficient_funds' },
  { number: '4000001000002006', type: 'visa', behaviour: 'expired_card' },
  { number: '4000001000003004', type: 'visa', behaviour: 'incorrect_cvc' },
  { number: '4000001000004002', type: 'visa', behaviour: 'lost_card' },
  { number: '4000001000005009', type: 'visa', behaviour: 'stolen_card' },
  { number: '4000001000006007', type: 'visa', behaviour: 'fraud_suspected' },
  { number: '4000001000007005', type: 'visa', behaviour: 'limit_exceeded' },
  { number: '4000001000008003', type: 'visa', behaviour: 'card_not_supported' },
  { number: '4000001000009001', type: 'visa', behaviour: 'processing_error' },
  { number: '4000001000010009', type: 'visa', behaviour: 'slow' },
  { number: '4000001000011007', type: 'visa', behaviour: 'time_out_before' },
  { number: '4000001000012005', type: 'visa', behaviour: 'time_out_after' },
  { number: '4000001000013003', type: 'visa', behaviour: 'reset_after' },
  { number: '4000001000014001', type: 'visa', behaviour: 'answer_twice' },
  { number: '4000001000015008', type: 'visa', behaviour: 'wrong_amount' },
  { number: '4000001000016006', type: 'visa', behaviour: 'three_d_secure' },
]

/** Why a card is not taken. The sentences repeat nothing of what was typed: it may be somebody's real card. */
export const cardRefusals = {
  unknownNumber: 'The sandbox knows only its test cards.',
  expiry: 'The expiry date is no month.',
  reference: 'The sandbox knows no such reference; one that it knows is test:success.',
  unknownCard: 'The sandbox has no such card.',
  entered: 'On a page the sandbox takes cards by their number only.',
} as const

export interface TestAmount {
  readonly fromMinor: bigint
  readonly toMinor: bigint
  readonly does: string
  readonly behaviourOf: (amountMinor: bigint) => Behaviour
}

function only(amountMinor: bigint, name: BehaviourName): TestAmount {
  const { behaviour, does } = behaviours[name]
  return { fromMinor: amountMinor, toMinor: amountMinor, does, behaviourOf: () => behaviour }
}

/**
 * Amounts in minor units of any currency that make an operation of just that amount misbehave: a charge with a success
 * card, a capture, a refund, and a void by the amount that was authorised. Only a charge waits for 3-D Secure.
 */
export const testAmounts: readonly TestAmount[] = [
  only(400_001n, 'card_declined'),
  only(400_002n, 'insufficient_funds'),
  only(400_003n, 'expired_card'),
  only(400_004n, 'incorrect_cvc'),
  only(400_005n, 'lost_card'),
  only(400_006n, 'stolen_card'),
  only(400_007n, 'fraud_suspected'),
  only(400_008n, 'limit_exceeded'),
  only(400_009n, 'card_not_supported'),
  only(400_010n, 'processing_error'),
  {
    fromMinor: 410_001n,
    toMinor: 410_099n,
    does: 'succeeds at once, is first answered after 100 ms times the last two digits',
    behaviourOf: amountMinor => ({ kind: 'slow', answerAfterMs: Number(amountMinor - 410_000n) * 100 }),
  },
  only(420_001n, 'time_out_before'),
  only(420_002n, 'time_out_after'),
  only(420_003n, 'reset_after'),
  only(420_004n, 'answer_twice'),
  only(420_005n, 'wrong_amount'),
  only(430_001n, 'three_d_secure'),
]

const cardsByNumber = new Map(testCards.map(card => [card.number, card]))

export function testCardOf(number: string): TestCard | null {
  return cardsByNumber.get(number) ?? null
}

/** A test card as the vault shows it. */
export type NamedCard = Omit<TestCard, 'number'> & {
  readonly mask: string
  readonly expiryMonth: number
  readonly expiryYear: number
}

/**
 * A card by a name, as real gateways give cards to those who must not see numbers: `test:<behaviour>`, with the digits and
 * the expiry that it shows behind it where a copy must show the same as another card: `test:success:1881:12-2040`.
 */
const cardName = /^test:([a-z_]+)(?::([0-9]{4}):([0-9]{2})-([0-9]{4}))?$/

export function testCardNamed(name: string): NamedCard | null {
  const [, behaviour = '', mask, month, year] = cardName.exec(name) ?? []
  const card = testCards.find(one => one.behaviour === behaviour)
  if (card === undefined) return null
  const { number, ...rest } = card
  return {
    ...rest,
    mask: mask ?? number.slice(-4),
    expiryMonth: Number(month ?? 12),
    expiryYear: Number(year ?? namedExpiryYear),
  }
}

const namedExpiryYear = 2042

/** The first card that does this, ready to be stored: for tests and demonstrations. */
export function testCardThat(behaviour: BehaviourName): CardDetails {
  const card = testCards.find(one => one.behaviour === behaviour)
  if (card === undefined) throw new Error(`no test card for ${behaviour}`)
  return { number: card.number, cvc: '123', expiryMonth: 12, expiryYear: namedExpiryYear }
}

export function behaviourOfAmount(amountMinor: bigint): Behaviour {
  const row = testAmounts.find(({ fromMinor, toMinor }) => fromMinor <= amountMinor && amountMinor <= toMinor)
  return row === undefined ? behaviours.success.behaviour : row.behaviourOf(amountMinor)
}
