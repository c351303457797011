// The ways to an offer that a merchant puts into mails: an address to write to, and a button.

import { inkOn, type Look } from '../core/look.ts'
import { displayAmount } from '../core/money.ts'
import type { Offer } from '../core/offer.ts'

/** What stands on a line of a mail program; and with more, some systems do not open the link. */
const subjectCharsMax = 78

export function mailTo(offer: Offer, mailDomain: string): string {
  return `mailto:payment-id-${offer.id}@${mailDomain}?subject=${encodeURIComponent(subjectOf(offer))}`
}

/** On one line, and cut between what is read as one character: half an emoji is another one. */
export function subjectOf({ title }: Pick<Offer, 'title'>): string {
  const line = title.replace(/\p{Cc}+/gu, ' ')
  const characters = Array.from(new Intl.Segmenter('en').segment(line), ({ segment }) => segment)
  return characters.length <= subjectCharsMax ? line : `${characters.slice(0, subjectCharsMax - 1).join('')}…`
}

export interface OfferLinks {
  readonly mailTo: string
  readonly pageUrl: string
}

/** The pages' own, by day. */
const ourButtonColor = '#23506f'
const font = 'font-family:Arial,Helvetica,sans-serif'

/**
 * Tables and inline styles: what mail programs can be trusted with. Outlook knows no padding on a link and takes its own from
 * the cell; everywhere else the link has it, so that the whole button can be pressed. It leads to the page, which works for
 * everybody; whoever would rather write a mail finds that below, in letters of the mail's own colour.
 */
export function buttonHtml(offer: Offer, links: OfferLinks, look: Look): string {
  const color = look.buttonColor ?? ourButtonColor
  const label = escapeHtml(`Pay ${displayAmount(offer.amountMinor, offer.currency)}`)
  const pressed = `display:inline-block;padding:12px 24px;mso-padding-alt:0;border-radius:6px;background:${color};color:${inkOn(color)};${font};font-size:16px;line-height:24px;font-weight:bold;text-decoration:none`
  const small = `padding:8px 0 0;${font};font-size:13px;line-height:20px`
  return (
    '<table role="presentation" dir="ltr" border="0" cellpadding="0" cellspacing="0" style="color:inherit">' +
    `<tr><td align="center" bgcolor="${color}" style="border-radius:6px;mso-padding-alt:12px 24px">` +
    `<a href="${escapeHtml(links.pageUrl)}" style="${pressed}">${label}</a></td></tr>` +
    `<tr><td align="center" style="${small}">or ` +
    `<a href="${escapeHtml(links.mailTo)}" style="color:inherit">pay by email</a></td></tr>` +
    '</table>'
  )
}

function escapeHtml(text: string): string {
  const entities: { [char: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
  return text.replace(/[&<>"']/g, char => entities[char] ?? char)
}
