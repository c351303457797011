// Cards in Braintree's vault. They come by the name that Braintree's own fields gave them (a nonce, good once), or by the
// name of one that is in the vault already (`token:` and it). Numbers do not pass through us.

import { createHmac } from 'node:crypto'
import type {
  CardType,
  DescribeCardOutcome,
  GivenCard,
  RefusedCard,
  RemoveCardOutcome,
  StoreCardOutcome,
  StoredCard,
} from '../../core/gateway.ts'
import { asUnknown, notSent, unknown } from './failures.ts'
import type { Line } from './line.ts'
import { isMembers, listIn, type Members, textIn } from './members.ts'

export const refusedCards = {
  number: 'Braintree takes cards from its own card fields only.',
  entered: 'Cards for Braintree cannot be entered on this page.',
  reference: 'This is not the name of a card at Braintree.',
  notStored: 'Braintree did not store the card.',
  notThere: 'Braintree does not know this card.',
  noCard: 'This is no card: only credit and debit cards can be stored.',
} as const

export interface Fingerprints {
  readonly key: Buffer
  /** Part of it: a fingerprint says nothing about a card in another account. */
  readonly account: string
}

const vaultPrefix = 'token:'
/** What names of Braintree's are made of; digits alone would be a number. */
const namePattern = /^(?=.*[A-Za-z])[A-Za-z0-9_-]{1,255}$/
const tokenPattern = /^[A-Za-z0-9_-]{1,64}$/

export async function storeCard(card: GivenCard, line: Line, fingerprints: Fingerprints): Promise<StoreCardOutcome> {
  if ('number' in card) return refused('number')
  // No page of ours has Braintree's fields, so nothing that a visitor of one posts can come from them.
  if ('fieldsToken' in card) return refused('entered')
  const { reference } = card
  if (reference.startsWith(vaultPrefix)) {
    const token = reference.slice(vaultPrefix.length)
    return tokenPattern.test(token) ? readToken(token, line, fingerprints) : refused('reference')
  }
  if (!namePattern.test(reference)) return refused('reference')
  // A customer with this one card: ours have no counterpart there, and a vault has no cards without a customer.
  const asked = await line.ask(sdk => sdk.customer.create({ paymentMethodNonce: reference }))
  if (asked.kind === 'not_found') return notSent('gateway_refused', 'Braintree does not know the account (HTTP 404).')
  if (asked.kind !== 'answered') return asked
  const { customer, success }: Members = isMembers(asked.answer) ? asked.answer : {}
  if (success === false) return refused('notStored')
  if (!isMembers(customer)) return unknown('The answer of Braintree is no customer.')
  return readCard(listIn(customer, 'creditCards')[0], fingerprints) ?? refused('noCard')
}

export async function describeCard(
  token: string,
  line: Line,
  fingerprints: Fingerprints,
): Promise<DescribeCardOutcome> {
  const read = await readToken(token, line, fingerprints)
  return read.kind === 'not_sent' ? asUnknown(read) : read
}

async function readToken(token: string, line: Line, fingerprints: Fingerprints): Promise<StoreCardOutcome> {
  const asked = await line.ask(sdk => sdk.paymentMethod.find(token))
  if (asked.kind === 'not_found') return refused('notThere')
  if (asked.kind !== 'answered') return asked
  return readCard(asked.answer, fingerprints) ?? refused('noCard')
}

export async function removeCard(token: string, line: Line): Promise<RemoveCardOutcome> {
  const asked = await line.ask(sdk => sdk.paymentMethod.delete(token))
  return asked.kind === 'answered' || asked.kind === 'not_found' ? { kind: 'removed' } : asUnknown(asked)
}

function refused(why: keyof typeof refusedCards): RefusedCard {
  return { kind: 'refused', sentence: refusedCards[why] }
}

const types: { readonly [brand: string]: CardType } = {
  Visa: 'visa',
  MasterCard: 'master',
  'American Express': 'american_express',
  Discover: 'discover',
}

/** Null: it is a wallet or an account, or not understood. */
function readCard(value: unknown, fingerprints: Fingerprints): StoredCard | null {
  if (!isMembers(value)) return null
  const cardRef = textIn(value, 'token')
  const mask = textIn(value, 'last4')
  const sameNumber = textIn(value, 'uniqueNumberIdentifier')
  const [expiryMonth, expiryYear] = [numberIn(value, 'expirationMonth'), numberIn(value, 'expirationYear')]
  if (cardRef === null || mask === null || sameNumber === null || expiryMonth === null || expiryYear === null)
    return null
  const type = types[textIn(value, 'cardType') ?? ''] ?? 'other'
  const fingerprint = fingerprintOf(fingerprints, sameNumber)
  return { kind: 'stored', cardRef, mask, type, expiryMonth, expiryYear, fingerprint }
}

function numberIn(value: Members, name: string): number | null {
  const text = textIn(value, name) ?? ''
  return /^[0-9]{1,4}$/.test(text) ? Number(text) : null
}

function fingerprintOf({ key, account }: Fingerprints, sameNumber: string): string {
  return createHmac('sha256', key).update(`${account}\0${sameNumber}`).digest('hex')
}
