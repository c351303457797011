// The button to an offer that a merchant puts into mails.

import { inkOn, type Look } from '../core/look.ts'
import { displayAmount } from '../core/money.ts'
import type { Offer } from '../core/offer.ts'

export interface OfferLinks {
  /** Null: no mail comes here, and the button itself leads to the page. */
  readonly mailTo: string | null
  readonly pageUrl: string
}

/** The pages' own, by day. */
const ourButtonColor = '#23506f'
const font = 'font-family:Arial,Helvetica,sans-serif'

/**
 * Tables and inline styles: what mail programs can be trusted with. Outlook knows no padding on a link and takes its own from
 * the cell; everywhere else the link has it, so that the whole button can be pressed. It opens the customer's mail program with
 * everything filled in; whoever has none, or no card saved, finds the page below, in letters of the mail's own colour.
 */
export function buttonHtml(offer: Offer, links: OfferLinks, look: Look): string {
  const color = look.buttonColor ?? ourButtonColor
  const label = escapeHtml(`Pay ${displayAmount(offer.amountMinor, offer.currency)}`)
  const pressed = `display:inline-block;padding:12px 24px;mso-padding-alt:0;border-radius:6px;background:${color};color:${inkOn(color)};${font};font-size:16px;line-height:24px;font-weight:bold;text-decoration:none`
  const small = `padding:8px 0 0;${font};font-size:13px;line-height:20px`
  return (
    '<table role="presentation" dir="ltr" border="0" cellpadding="0" cellspacing="0" style="color:inherit">' +
    `<tr><td align="center" bgcolor="${color}" style="border-radius:6px;mso-padding-alt:12px 24px">` +
    `<a href="${escapeHtml(links.mailTo ?? links.pageUrl)}" style="${pressed}">${label}</a></td></tr>` +
    (links.mailTo === null
      ? ''
      : `<tr><td align="center" style="${small}">or ` +
        `<a href="${escapeHtml(links.pageUrl)}" style="color:inherit">pay on a web page</a></td></tr>`) +
    '</table>'
  )
}

function escapeHtml(text: string): string {
  const entities: { [char: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
  return text.replace(/[&<>"']/g, char => entities[char] ?? char)
}
