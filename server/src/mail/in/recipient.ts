// Whom a mail is for: the address of one offer, the one address where a token in the mail says what is to be paid, or the office:
// the address that our own mails come from, and the one that every mail domain must have (RFC 5321, 4.5.1).

import { lowerCaseEmail } from '../../core/email.ts'
import type { InboundPorts } from './ports.ts'

/** Customers read it in what their own mail server tells them. */
export const noSuchAddress = 'Nothing was charged: there is no such address here. Ask whoever gave it to you.'

export type Recipient =
  | { readonly kind: 'offer'; readonly address: string; readonly offerId: string }
  | { readonly kind: 'token'; readonly address: string }
  | { readonly kind: 'office'; readonly address: string }

const office = ['no-reply', 'postmaster']
const offerAddress = /^payment-id-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/

/** In any case, as people and mail programs write it. Null: no address of ours. */
export function readRecipient(text: string, mailDomain: string): Recipient | null {
  const address = lowerCaseEmail(text)
  const domain = `@${mailDomain.toLowerCase()}`
  if (address === 'postmaster') return { kind: 'office', address }
  if (!address.endsWith(domain)) return null
  const local = address.slice(0, -domain.length)
  if (local === 'transaction') return { kind: 'token', address }
  if (office.includes(local)) return { kind: 'office', address }
  const [, offerId] = offerAddress.exec(local) ?? []
  return offerId === undefined ? null : { kind: 'offer', address, offerId }
}

/** Whether mail for it is taken at all: asked before the mail is sent. */
export async function isRecipient(ports: Pick<InboundPorts, 'mailDomain' | 'findOffer'>, text: string) {
  const recipient = readRecipient(text, ports.mailDomain)
  if (recipient === null) return false
  return recipient.kind !== 'offer' || (await ports.findOffer(recipient.offerId)) !== null
}
