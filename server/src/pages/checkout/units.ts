// How many units of an offer can be bought at once, and what they cost.

import { amountMinorMax } from '../../core/money.ts'
import type { Offer } from '../../core/offer.ts'

const quantityMax = 9_999

/** Null: no quantity that anybody can buy. */
export function parseQuantity(text: string): number | null {
  const [, digits] = /^0*([1-9][0-9]{0,3})$/.exec(text.trim()) ?? []
  return digits === undefined ? null : Number(digits)
}

/** What stands in the field for the quantity. Null: nothing that can be sold at once, however many are left. */
export function typedUnits(offer: Offer, text: string): number | null {
  const units = parseQuantity(text)
  return units !== null && units <= unitsMax({ ...offer, stockLeft: null }) ? units : null
}

/** Zero: it is used up. */
export function unitsMax({ amountMinor, stockLeft }: Offer): number {
  const affordable = Number(amountMinorMax / amountMinor)
  return Math.max(0, Math.min(quantityMax, affordable, stockLeft ?? quantityMax))
}

/** As many as were asked for, or as there are. */
export function unitsOf(offer: Offer, asked: number | null): number {
  return Math.max(1, Math.min(asked ?? 1, unitsMax(offer)))
}

export function totalOf({ amountMinor }: Offer, quantity: number): bigint {
  return amountMinor * BigInt(quantity)
}
