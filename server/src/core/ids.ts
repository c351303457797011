// Ids that cannot be mixed up: each is text on the wire and a type of its own here, so that handing a refund's id to
// something that wants a transaction's does not compile. How each looks is in docs/interface.md.

export type MerchantId = string & { readonly of: 'merchant' }
export type PartnerUuid = string & { readonly of: 'partner' }
export type GatewayId = string & { readonly of: 'gateway' }
export type CustomerId = string & { readonly of: 'customer' }
export type CardToken = string & { readonly of: 'card' }
export type OfferId = string & { readonly of: 'offer' }
export type TransactionId = string & { readonly of: 'transaction' }
export type OperationId = string & { readonly of: 'operation' }
export type EventId = string & { readonly of: 'event' }
export type EndpointId = string & { readonly of: 'endpoint' }
export type DeliveryId = string & { readonly of: 'delivery' }
export type ListenerId = string & { readonly of: 'listener' }
export type RelayId = string & { readonly of: 'relay' }
export type ClaimId = string & { readonly of: 'claim' }
export type WorkerId = string & { readonly of: 'worker' }
export type InboxHookId = string & { readonly of: 'inbox hook' }
export type InboxMailId = string & { readonly of: 'inbox mail' }
export type LetterId = string & { readonly of: 'letter' }
export type OutgoingMailId = string & { readonly of: 'outgoing mail' }
export type ApiKeyId = string & { readonly of: 'api key' }

type UuidId =
  | OfferId
  | TransactionId
  | OperationId
  | EventId
  | EndpointId
  | DeliveryId
  | ListenerId
  | RelayId
  | CustomerId
  | PartnerUuid
  | InboxHookId
  | InboxMailId
  | LetterId

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const cardTokenPattern = /^[A-Za-z0-9_-]{24}$/
const merchantIdPattern = /^m_[A-Za-z0-9_-]{22}$/
const gatewayIdPattern = /^gw_[A-Za-z0-9_-]{22}$/

/** Any case is accepted; inside and on the way out it is lower case. Null: not a UUID, so it names nothing. */
export function parseUuid<Id extends UuidId>(text: string): Id | null {
  const lower = text.toLowerCase()
  return uuidPattern.test(lower) ? (lower as Id) : null
}

export function parseCardToken(text: string): CardToken | null {
  return cardTokenPattern.test(text) ? (text as CardToken) : null
}

export function parseMerchantId(text: string): MerchantId | null {
  return merchantIdPattern.test(text) ? (text as MerchantId) : null
}

export function parseGatewayId(text: string): GatewayId | null {
  return gatewayIdPattern.test(text) ? (text as GatewayId) : null
}
