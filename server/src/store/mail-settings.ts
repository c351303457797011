// What customers may pay by mail, and which mails they get. A merchant without a row has the plain settings.

import type { MerchantId } from '../core/ids.ts'
import { type MailSettings, plainMailSettings } from '../core/mail-settings.ts'
import type { Currency } from '../core/money.ts'
import type { Scope } from './database.ts'

export async function readMailSettings(sql: Scope, merchantId: MerchantId): Promise<MailSettings> {
  const [row] = await sql<(MailSettings & { readonly isSet: boolean; readonly currency: Currency })[]>`
    select s.merchant_id is not null as is_set, m.currency, s.payments, s.amount_max_minor, s.day_amount_max_minor, s.day_payments_max,
      s.public_charge_at_once, s.personal_charge_at_once, s.sentences, s.receipts, s.further_actions, s.errors,
      s.unsigned_authorizations
    from merchant m left join mail_settings s on s.merchant_id = m.merchant_id where m.merchant_id = ${merchantId}`
  if (row === undefined) throw new Error(`merchant ${merchantId} is gone`)
  const { isSet, currency, ...settings } = row
  return isSet ? settings : plainMailSettings(currency)
}

/** What is not named stays as it is. The settings as they then are. */
export async function changeMailSettings(
  scope: Scope,
  merchantId: MerchantId,
  change: Partial<MailSettings>,
): Promise<MailSettings> {
  // Who changes something else at the same time waits, and loses nothing.
  await scope`select from merchant where merchant_id = ${merchantId} for no key update`
  const settings = { ...(await readMailSettings(scope, merchantId)), ...change }
  await scope`delete from mail_settings where merchant_id = ${merchantId}`
  const row = { merchantId, ...settings, sentences: scope.json([...settings.sentences]) }
  await scope`insert into mail_settings ${scope(row as unknown as Record<string, string>)}`
  return settings
}
