// Links that open a mail program with everything filled in, so that nothing is left but to press send. Who does reads first
// what will be paid, and to whom.

import { displayAmount } from './money.ts'
import type { Offer } from './offer.ts'
import type { Merchant } from './people.ts'

/** With more than some 2,000 characters in all, of which a letter may take nine, some systems do not open a link. */
const lineCharsMax = 60
const nameCharsMax = 40

export function mailToOffer(offer: Offer, merchant: Pick<Merchant, 'name'>, mailDomain: string): string {
  const amount = displayAmount(offer.amountMinor, offer.currency)
  const name = onOneLine(merchant.name, nameCharsMax)
  const body = `Send this email to pay ${amount} to ${name} for:

${onOneLine(offer.title)}

Sending it charges the card you have saved with ${name}. To cancel, do not send it.
`
  return mailTo(`payment-id-${offer.id}@${mailDomain}`, offer, merchant, body)
}

/** With a token by which its sender stands by a payment that is over their limits. */
export function mailToConfirm(
  offer: Offer,
  merchant: Pick<Merchant, 'name'>,
  mailDomain: string,
  token: string,
): string {
  const amount = displayAmount(offer.amountMinor, offer.currency)
  const body = `Send this email to confirm that you pay ${amount} to ${onOneLine(merchant.name, nameCharsMax)} for:

${onOneLine(offer.title)}

${token}
`
  return mailTo(`transaction@${mailDomain}`, offer, merchant, body)
}

/** RFC 6068: every character that could mean something is written as its bytes, and a line ends with CR and LF. */
function mailTo(address: string, offer: Offer, merchant: Pick<Merchant, 'name'>, body: string): string {
  const subject = onOneLine(`${displayAmount(offer.amountMinor, offer.currency)} to ${merchant.name}: ${offer.title}`)
  const encoded = [subject, body.replaceAll('\n', '\r\n')].map(text => encodeURIComponent(text.toWellFormed()))
  return `mailto:${address}?subject=${encoded[0]}&body=${encoded[1]}`
}

/** Cut between what is read as one character: half an emoji is another one. */
function onOneLine(text: string, charsMax = lineCharsMax): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
  const characters = Array.from(new Intl.Segmenter('en').segment(line), ({ segment }) => segment)
  return characters.length <= charsMax ? line : `${characters.slice(0, charsMax - 1).join('')}…`
}
