// The headers of the Standard Webhooks specification, for endpoints that opt in: HMAC-SHA256 over id, time and body, with a
// secret of the endpoint's own. While a secret is being replaced, both signatures are sent.

import { hmac } from '#platform'
import { fromBase64 } from './base64.ts'

const secretPrefix = 'whsec_'
/** The service's have 32, the specification wants 24. With an empty one, which a variable that is not set leaves, anybody could sign. */
const keyBytesMin = 16

export function standardWebhooksSignature(
  message: { readonly id: string; readonly timestampS: number; readonly body: string },
  secret: string,
): string {
  const { id, timestampS, body } = message
  return `v1,${hmac('sha256', keyIn(secret), `${id}.${timestampS}.${body}`, 'base64')}`
}

function keyIn(secret: string): Uint8Array {
  if (typeof secret !== 'string' || !secret.startsWith(secretPrefix))
    throw new TypeError('A Standard Webhooks secret is text that begins with whsec_.')
  const key = fromBase64(secret.slice(secretPrefix.length))
  if (key === null) throw new TypeError('A Standard Webhooks secret is base64 after whsec_.')
  if (key.length < keyBytesMin)
    throw new TypeError(`A Standard Webhooks secret must not be shorter than ${keyBytesMin} bytes. Was it cut?`)
  return key
}

/** The body of an endpoint that asked for JSON: `details` stands in it as it is, byte for byte. */
export function standardWebhooksBody(details: string): string {
  const { type, date } = JSON.parse(details)
  const timestamp = new Date(date * 1_000).toISOString()
  return `{"type":${JSON.stringify(type)},"timestamp":"${timestamp}","data":${details}}`
}

export function standardWebhooksHeaders(
  message: { readonly id: string; readonly timestampS: number; readonly body: string },
  secrets: readonly string[],
): readonly (readonly [string, string])[] {
  return [
    ['webhook-id', message.id],
    ['webhook-timestamp', String(message.timestampS)],
    ['webhook-signature', secrets.map(secret => standardWebhooksSignature(message, secret)).join(' ')],
  ]
}
