// The headers of the Standard Webhooks specification, for endpoints that opt in: HMAC-SHA256 over id, time and body, with a
// secret of the endpoint's own. While a secret is being replaced, both signatures are sent.

import { hmac } from '#platform'
import { fromBase64 } from './base64.ts'

const secretPrefix = 'whsec_'

export function standardWebhooksSignature(
  message: { readonly id: string; readonly timestampS: number; readonly body: string },
  secret: string,
): string {
  if (!secret.startsWith(secretPrefix)) throw new Error('a Standard Webhooks secret begins with whsec_')
  const key = fromBase64(secret.slice(secretPrefix.length))
  if (key === null) throw new Error('a Standard Webhooks secret is base64 after whsec_')
  const { id, timestampS, body } = message
  return `v1,${hmac('sha256', key, `${id}.${timestampS}.${body}`, 'base64')}`
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
