// What each customer of a merchant may pay by mail, and which mails they get.

import type { MailKind } from './letter.ts'
import { type Currency, currencyDecimals } from './money.ts'

/** Amounts are in the merchant's currency; null: no limit. */
export interface MailSettings {
  /** Whether customers may pay by mail at all. */
  readonly payments: boolean
  /** For one mail. */
  readonly amountMaxMinor: bigint | null
  /** For one customer and day. */
  readonly dayAmountMaxMinor: bigint | null
  readonly dayPaymentsMax: number | null
  /** Emails to public addresses and with public tokens charge at once, where their words say so; else a link confirms each. */
  readonly publicChargeAtOnce: boolean
  /** Emails with personal tokens charge at once, where their words say so; else a link confirms each. */
  readonly personalChargeAtOnce: boolean
  /** What emails may say that charge at once, beside the sentence of our own links. */
  readonly sentences: readonly string[]
  readonly receipts: boolean
  readonly furtherActions: boolean
  readonly errors: boolean
  /** Whether a token may authorise without saying so inside its box. Null: as the mode of the service has it. */
  readonly unsignedAuthorizations: boolean | null
}

export const sentencesMax = 20
export const sentenceCharsMax = 500

/** Of a merchant who has set nothing. */
export function plainMailSettings(currency: Currency): MailSettings {
  const one = 10n ** BigInt(currencyDecimals(currency))
  return {
    payments: true,
    amountMaxMinor: 500n * one,
    dayAmountMaxMinor: 1_000n * one,
    dayPaymentsMax: 10,
    publicChargeAtOnce: false,
    personalChargeAtOnce: true,
    sentences: [],
    receipts: true,
    furtherActions: true,
    errors: true,
    unsignedAuthorizations: null,
  }
}

/** Whether customers get mails of this kind. */
export function isMailed(settings: MailSettings, kind: MailKind): boolean {
  const { receipts: receipt, furtherActions: further_action, errors: error } = settings
  return { receipt, further_action, error }[kind]
}
