// Whom a mail is for: the address of one offer, or the one address where a token in the mail says what is to be paid.

import type { InboundPorts } from './ports.ts'

export type Recipient =
  | { readonly kind: 'offer'; readonly address: string; readonly offerId: string }
  | { readonly kind: 'token'; readonly address: string }

const offerAddress = /^payment-id-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/

/** In any case, as people and mail programs write it. Null: no address of ours. */
export function readRecipient(text: string, mailDomain: string): Recipient | null {
  const address = text.toLowerCase()
  const domain = `@${mailDomain.toLowerCase()}`
  if (!address.endsWith(domain)) return null
  const local = address.slice(0, -domain.length)
  if (local === 'transaction') return { kind: 'token', address }
  const [, offerId] = offerAddress.exec(local) ?? []
  return offerId === undefined ? null : { kind: 'offer', address, offerId }
}

/** Whether mail for it is taken at all: asked before the mail is sent. */
export async function isRecipient(ports: Pick<InboundPorts, 'mailDomain' | 'findOffer'>, text: string) {
  const recipient = readRecipient(text, ports.mailDomain)
  if (recipient === null) return false
  return recipient.kind === 'token' || (await ports.findOffer(recipient.offerId)) !== null
}
