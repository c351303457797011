// A shop, and mails that it owes to its customers, as the commits of letters and transactions write them.

import type { MerchantId, OfferId, TransactionId } from '../../src/core/ids.ts'
import type { MailKind } from '../../src/core/letter.ts'
import type { Foundation } from '../../src/foundation.ts'
import { createMerchant } from '../../src/setup/merchant.ts'
import { saveLook } from '../../src/store/payment-pages.ts'

export interface MailShop {
  readonly merchantId: MerchantId
  readonly offerId: OfferId
  readonly gatewayId: string
}

export async function newShop(foundation: Foundation): Promise<MailShop> {
  const { sql, sealer, clock, newUuid } = foundation
  const world = { sql, sealer, mode: 'sandbox' as const, now: clock.now, newUuid }
  const made = await createMerchant(world, { name: 'Käse & Söhne', email: `${newUuid()}@example.com` })
  const offer = newUuid() as OfferId
  await sql`insert into offer (merchant_id, id, created_at, title, amount_minor, amount_given, currency, custom_fields,
      authorization_only, custom_data, token_content, active)
    values (${made.merchant}, ${offer}, now(), 'A wheel of cheese', 10000, '100.00', 'USD', '[]', false, '{}', '', true)`
  await saveLook(sql, made.merchant, { supportEmail: 'help@shop.example' })
  return { merchantId: made.merchant, offerId: offer, gatewayId: made.gateway as string }
}

export interface Owed {
  readonly kind: MailKind
  readonly sender: string
  readonly wants: 'proof' | 'card' | 'field' | 'limit' | null
  readonly language: string
  readonly code: string
  readonly isAnswerable: boolean
  readonly isProven: boolean
}

/** A letter, the transaction that it made, and the mail that is owed for it, as their commits write them. */
export async function oweMail(
  { sql, clock, newUuid }: Foundation,
  { merchantId, offerId, gatewayId }: MailShop,
  change: Partial<Owed>,
): Promise<{ id: string; transactionId: TransactionId }> {
  const owed = {
    kind: 'receipt',
    sender: 'ada@example.com',
    wants: null,
    language: 'en',
    code: 'card_declined',
    ...change,
  }
  const { kind, sender, wants, language } = owed
  const [customer, card, transaction, letter, id, now] = [
    newUuid(),
    newUuid(),
    newUuid(),
    newUuid(),
    newUuid(),
    clock.now(),
  ]
  await sql`insert into customer (merchant_id, id, email, created_at) values (${merchantId}, ${customer}, ${sender}, ${now})
    on conflict do nothing`
  const [known] = await sql`select id from customer where merchant_id = ${merchantId} and email = ${sender}`
  const customerId = String(known?.id)
  await sql`insert into card (merchant_id, token, customer_id, gateway_id, card_ref, mask, type, expiry_month, expiry_year, fingerprint, created_at)
    values (${merchantId}, ${card}, ${customerId}, ${gatewayId}, ${card}, '1111', 'visa', 12, 2040, ${card}, ${now})`
  const isPaid = kind === 'receipt'
  const waits = kind === 'further_action'
  await sql`insert into transaction ${sql({
    ...{ merchantId, id: transaction, createdAt: now, source: 'Email Transaction', offerId, customerId, gatewayId },
    status: isPaid ? 'Successful' : waits ? 'Further Action Required' : 'Failed',
    cardToken: wants === null ? card : null,
    ...{ currency: 'USD', unitPriceMinor: 10_000n, quantity: 1, amountMinor: 10_000n, authorizationOnly: false },
    ...{
      preSale: 'not_asked',
      heldMinor: 0n,
      capturedMinor: isPaid ? 10_000n : 0n,
      refundReservedMinor: 0n,
      refundedMinor: 0n,
    },
    ...(kind === 'error' && { failureCode: owed.code, failureSentence: 'Declined.' }),
    ...(waits && { actionExpiresAt: new Date(now.getTime() + 7 * 86_400_000), actionWants: wants }),
    ...(wants === 'limit' && { actionMailTo: 'mailto:transaction@pay.example?body=%40abc%40' }),
    version: 1,
  })}`
  await sql`insert into letter (merchant_id, id, received_at, offer_id, sender, is_proven, is_answerable, language, message_id, state, transaction_id)
    values (${merchantId}, ${letter}, ${now}, ${offerId}, ${sender}, ${owed.isProven ?? true}, ${owed.isAnswerable ?? true}, ${language}, '<asked@example.com>', 'done', ${transaction})`
  await sql`insert into outgoing_mail (merchant_id, id, letter_id, transaction_id, kind, created_at, state, due_at)
    values (${merchantId}, ${id}, ${letter}, ${transaction}, ${kind}, ${now}, 'waiting', ${now})`
  return { id, transactionId: transaction as TransactionId }
}
