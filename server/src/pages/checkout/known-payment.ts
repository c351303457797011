// The payment that a customer was told of, as the form carries it: who says yes to a second payment says so of this one. What was
// paid after it, they were not told of.

import { parseUuid, type TransactionId } from '../../core/ids.ts'
import type { KnownPayment } from '../../core/ports.ts'
import type { Sale } from '../../core/sale.ts'

export function knownPayment({ transaction: { id, createdAt: at } }: Sale): KnownPayment {
  return { id, at }
}

export function knownPaymentText({ id, at }: KnownPayment): string {
  return `${id}.${at.getTime()}`
}

/** Null: it names none. Thirteen digits are the milliseconds from 2001 to 2286. */
export function parseKnownPayment(text: string): KnownPayment | null {
  const [, idText = '', ms] = /^([0-9a-f-]{36})\.(\d{13})$/.exec(text) ?? []
  const id = parseUuid<TransactionId>(idText)
  return id === null ? null : { id, at: new Date(Number(ms)) }
}
