// The sandbox's JSON, for the server and the adapter alike. Members carry the port's own names; amounts are decimal text,
// because a JSON number is a float. Both sides are strict: what has another shape than this is not understood.

import {
  type CardDetails,
  type CardReference,
  type CardType,
  cardTypes,
  type DeclineCode,
  declineCodes,
  type OperationRequest,
  type RefusedCard,
  type StoredCard,
} from '../../core/gateway.ts'
import { type OperationId, parseUuid, type TransactionId } from '../../core/ids.ts'
import { type Currency, parseCurrency } from '../../core/money.ts'
import type { ChallengeResult, Found } from './engine.ts'
import { cardRefusals } from './test-cards.ts'

export const bodyBytesMax = 64 * 1024

/** The sentence names the member and never its value: the value may be a card number. */
export type Parsed<T> = { readonly value: T } | { readonly wrong: string }

type Members = Readonly<Record<string, unknown>>
type Check = (value: unknown) => boolean

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= 255
}
function isUuid(value: unknown): value is OperationId & TransactionId {
  return typeof value === 'string' && parseUuid(value) === value
}
function isAmount(value: unknown): value is string {
  return typeof value === 'string' && /^[1-9][0-9]{0,11}$/.test(value)
}
function isFee(value: unknown): value is string | null {
  return value === null || value === '0' || isAmount(value)
}
function isCurrency(value: unknown): value is Currency {
  return typeof value === 'string' && parseCurrency(value) === value
}
function isInteger(value: unknown): value is number {
  return Number.isInteger(value)
}
function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}
function isCardType(value: unknown): value is CardType {
  return cardTypes.some(type => type === value)
}
function isDeclineCode(value: unknown): value is DeclineCode {
  return typeof value === 'string' && Object.hasOwn(declineCodes, value)
}

const operationChecks = { id: isUuid, transactionId: isUuid, amountMinor: isAmount, currency: isCurrency }
const chargeChecks = { ...operationChecks, cardRef: isText, capture: isBoolean }
const followUpChecks = { ...operationChecks, chargeId: isUuid, chargeRef: isText }
const cardChecks = {
  number: (value: unknown) => typeof value === 'string' && /^[0-9]{8,19}$/.test(value),
  cvc: (value: unknown) => value === null || (typeof value === 'string' && /^[0-9]{3,4}$/.test(value)),
  expiryMonth: isInteger,
  expiryYear: isInteger,
}

export function toJson(value: object): string {
  return JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? member.toString() : member))
}

export function parseOperation(body: unknown): Parsed<OperationRequest> {
  if (!isMembers(body)) return { wrong: 'The body must be a JSON object.' }
  const { kind, ...rest } = body
  if (kind === 'charge') return parseAs(rest, chargeChecks, () => ({ kind, ...operationOf(rest) }) as OperationRequest)
  if (kind !== 'capture' && kind !== 'void' && kind !== 'refund') {
    return { wrong: '"kind" must be "charge", "capture", "void" or "refund".' }
  }
  return parseAs(rest, followUpChecks, () => ({ kind, ...operationOf(rest) }) as OperationRequest)
}

export function parseCard(body: unknown): Parsed<CardDetails | CardReference> {
  if (!isMembers(body)) return { wrong: 'The body must be a JSON object.' }
  if (Object.hasOwn(body, 'reference')) {
    return parseAs(body, { reference: isText }, () => body as unknown as CardReference)
  }
  return parseAs(body, cardChecks, () => body as unknown as CardDetails)
}

export function parseChallenge(body: unknown): Parsed<ChallengeResult> {
  const isResult: Check = value => value === 'pass' || value === 'fail'
  if (!isMembers(body)) return { wrong: 'The body must be a JSON object.' }
  return parseAs(body, { result: isResult }, () => body.result as ChallengeResult)
}

/** What became of an operation; null: not an answer that we understand. */
export function readFound(body: unknown): Found | null {
  if (!isMembers(body)) return null
  switch (body.kind) {
    case 'succeeded': {
      const { gatewayRef, amountMinor, currency, feeMinor } = body
      if (!isText(gatewayRef) || !isAmount(amountMinor) || !isCurrency(currency) || !isFee(feeMinor)) return null
      const fee = feeMinor === null ? null : BigInt(feeMinor)
      return { kind: 'succeeded', gatewayRef, amountMinor: BigInt(amountMinor), currency, feeMinor: fee }
    }
    case 'further_action': {
      const { gatewayRef, action } = body
      return isText(gatewayRef) && action === 'three_d_secure' ? { kind: 'further_action', gatewayRef, action } : null
    }
    case 'declined':
      return isDeclineCode(body.code) ? { kind: 'declined', code: body.code } : null
    case 'absent':
      return { kind: 'absent' }
    default:
      return null
  }
}

export function readStoreCard(body: unknown): StoredCard | RefusedCard | null {
  if (!isMembers(body)) return null
  if (body.kind === 'refused') {
    // Only a sentence that we know is passed on: the server was given the number, and might repeat it.
    const sentence = Object.values(cardRefusals).find(known => known === body.sentence)
    return sentence === undefined ? null : { kind: 'refused', sentence }
  }
  const { cardRef, mask, type, expiryMonth, expiryYear, fingerprint } = body
  if (body.kind !== 'stored' || !isText(cardRef) || !isText(fingerprint) || !isCardType(type)) return null
  if (typeof mask !== 'string' || !/^[0-9]{4}$/.test(mask) || !isInteger(expiryMonth) || !isInteger(expiryYear))
    return null
  return { kind: 'stored', cardRef, mask, type, expiryMonth, expiryYear, fingerprint }
}

/** The sentence of a refusal; null: not a refusal of ours, for instance a proxy's page. */
export function readError(body: unknown): string | null {
  return isMembers(body) && typeof body.error === 'string' ? body.error.slice(0, 200) : null
}

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parseAs<T>(members: Members, checks: Record<string, Check>, build: () => T): Parsed<T> {
  const stranger = Object.keys(members).some(name => !Object.hasOwn(checks, name))
  if (stranger) return { wrong: `There is a member too many. Known are: ${Object.keys(checks).join(', ')}.` }
  const wrong = wrongMember(members, checks)
  return wrong === null ? { value: build() } : { wrong: `"${wrong}" is missing or wrong.` }
}

function wrongMember(members: Members, checks: Record<string, Check>): string | null {
  const found = Object.entries(checks).find(([name, check]) => !check(members[name]))
  return found === undefined ? null : found[0]
}

function operationOf(members: Members): object {
  return { ...members, amountMinor: BigInt(String(members.amountMinor)) }
}

export function parseOperationId(text: string): OperationId | null {
  return parseUuid<OperationId>(text)
}
