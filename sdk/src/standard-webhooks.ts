// The headers of the Standard Webhooks specification, for endpoints that opt in: HMAC-SHA256 over id, time and body, with a
// secret of the endpoint's own. While a secret is being replaced, both signatures are sent.

import { createHmac } from 'node:crypto'

const secretPrefix = 'whsec_'

export function standardWebhooksSignature(
  message: { readonly id: string; readonly timestampS: number; readonly body: string },
  secret: string,
): string {
  if (!secret.startsWith(secretPrefix)) throw new Error('a Standard Webhooks secret begins with whsec_')
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
  const { id, timestampS, body } = message
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampS}.${body}`, 'utf8').digest('base64')}`
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
