// Charge an offer: the one function behind REST and the page. What is asked for is checked here; how it is then charged,
// safely, is `begin-charge.ts`, which a payment by mail (`pay-by-letter.ts`) goes through as well.

import { type Answer, chargeAnswer, type Errors, refusal } from './answer.ts'
import { type CheckedFacts, chargeSale, newTransaction } from './begin-charge.ts'
import type { CardToken, MerchantId, OfferId } from './ids.ts'
import { amountMinorMax } from './money.ts'
import { notForSaleSays, whyNotForSale } from './offer.ts'
import { type Card, cardHasExpired, type Entered } from './people.ts'
import type { ChargeFacts, OnlyIfUnpaid, Ports, Repetition, Reply } from './ports.ts'
import { earlierReply, refuseOrRepeat, replyWith, stillProcessing } from './repetition.ts'
import type { Source } from './transaction.ts'

export interface ChargeCommand {
  readonly merchantId: MerchantId
  /** Null: not even of the right form, so it names nothing. */
  readonly offerId: OfferId | null
  readonly cardToken: CardToken | null
  readonly quantity: number
  readonly authorizationOnly: boolean | null
  readonly referrerContext: string | null
  readonly source: Source
  /** What the customer entered on a page; null: by REST. */
  readonly entered: Entered | null
  /** The token that this payment uses, by the SHA-256 of its box in hex; left out: none. */
  readonly tokenSha256?: string | null
  /** Null, or left out: whether the offer was paid before is no matter. */
  readonly onlyIfUnpaid?: OnlyIfUnpaid | null
  readonly repetition: Repetition | null
}

export async function chargeOffer(ports: Ports, command: ChargeCommand): Promise<Reply> {
  const { merchantId, repetition } = command
  // Before all else: what was answered once is answered again, whatever has become of the gateway since.
  const earlier = await earlierReply(ports, merchantId, repetition)
  if (earlier !== null) return earlier
  const facts = await ports.store.chargeFacts(merchantId, command.offerId, command.cardToken)
  const checked = checkedFacts(facts, command, ports.now())
  if ('status' in checked) return refuseOrRepeat(ports, merchantId, repetition, checked)
  const transaction = newTransaction(ports, { ...command, tokenSha256: command.tokenSha256 ?? null }, checked)
  const { onlyIfUnpaid = null } = command
  const settled = await chargeSale(ports, checked, transaction, first =>
    ports.store.create({ ...first, repetition, onlyIfUnpaid }),
  )
  if (typeof settled !== 'string') return replyWith(chargeAnswer(settled.sale, ports.service), settled.busyForMs)
  // A page, which alone names a token here or asks whether the offer was paid, looks itself at what became of that.
  const refused =
    settled === 'repeated'
      ? stillProcessing
      : refusal(422, { service_offer: `service_offer ${notForSaleSays.used_up}` })
  return refuseOrRepeat(ports, merchantId, repetition, refused)
}

/** What speaks against it, field by field; or all that is needed to charge. */
export function checkedFacts(
  facts: ChargeFacts,
  command: Pick<ChargeCommand, 'quantity' | 'entered'>,
  now: Date,
): CheckedFacts | Answer {
  const { offer, card, customer, gateway } = facts
  if (offer === null || card === null || customer === null) {
    return refusal(404, {
      ...(offer === null && { service_offer: 'service_offer is not known.' }),
      ...(card === null && { token: 'token is not known.' }),
    })
  }
  const errors: { [field: string]: string } = {}
  const { quantity } = command
  const notForSale = whyNotForSale(offer, { quantity, email: customer.email, now })
  if (notForSale !== null) errors.service_offer = `service_offer ${notForSaleSays[notForSale]}`
  if (offer.amountMinor * BigInt(quantity) > amountMinorMax) errors.quantity = 'quantity makes the total too large.'
  const cardSays = whyCardIsNotUsable({ ...facts, card }, command, now)
  if (cardSays !== null) errors.token = `token ${cardSays}`
  if (gateway === null || !gateway.active) {
    if (offer.gatewayId === null) errors.token ??= 'token names a card whose gateway is not active.'
    else errors.service_offer ??= "service_offer's gateway is not active."
  }
  if (gateway === null || Object.keys(errors).length > 0) return refusal(422, errors as Errors)
  return { ...facts, offer, card, customer, gateway }
}

type WithCard = ChargeFacts & { readonly card: Card }

function whyCardIsNotUsable(
  { card, gateway }: WithCard,
  { entered }: Pick<ChargeCommand, 'entered'>,
  now: Date,
): string | null {
  if (card.removedAt !== null) return 'names a card that was removed.'
  // Its token stands in the hooks of the one payment that it was given for, and must not pay for another.
  if (card.removeAt !== null && entered === null)
    return card.consentedAt === null
      ? 'names a card that was given for one payment only.'
      : 'names a card whose payment has not succeeded.'
  if (cardHasExpired(card, now)) return 'names a card that has expired.'
  if (gateway !== null && gateway.cardRef === null) return "names a card that is not stored at the offer's gateway."
  return null
}
