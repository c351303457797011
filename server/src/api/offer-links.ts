// The ways to an offer that a merchant puts into mails: an address to write to, and a button.

import { displayAmount } from '../core/money.ts'
import { type Offer, pageUrlOf } from '../core/offer.ts'

export function mailTo(offer: Offer, mailDomain: string): string {
  return `mailto:payment-id-${offer.id}@${mailDomain}?subject=${encodeURIComponent(offer.title)}`
}

/** Tables and inline styles: what mail programs can be trusted with. */
export function buttonHtml(offer: Offer, baseUrl: string): string {
  const label = escapeHtml(`Pay ${displayAmount(offer.amountMinor, offer.currency)}`)
  const href = escapeHtml(pageUrlOf(offer, baseUrl))
  const style =
    'display:inline-block;padding:12px 24px;color:#ffffff;font-family:sans-serif;font-size:16px;text-decoration:none'
  return (
    '<table role="presentation" cellspacing="0" cellpadding="0" border="0"><tr>' +
    `<td bgcolor="#1a56db" style="border-radius:6px"><a href="${href}" style="${style}">${label}</a></td>` +
    '</tr></table>'
  )
}

function escapeHtml(text: string): string {
  const entities: { [char: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
  return text.replace(/[&<>"']/g, char => entities[char] ?? char)
}
