// Amounts as customers read them.

import { type Currency, displayAmount } from '../core/money.ts'

/** `$1,234.50`, `1,234.50 EUR`: a row of digits is misread by a factor of ten. */
export function shownAmount(amountMinor: bigint, currency: Currency): string {
  return displayAmount(amountMinor, currency).replace(/\d+/, whole => whole.replace(/\B(?=(?:\d{3})+$)/g, ','))
}
