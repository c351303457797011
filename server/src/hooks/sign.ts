// A request as it is signed: the body of the interface, and the Standard Webhooks headers where the endpoint asked for
// them, or a JSON body with these headers. Their time is the world's, not the sandbox clock's: receivers compare it with their own.

import { standardWebhooksBody, standardWebhooksHeaders } from '@tillbell/sdk'
import { hmacSha1 } from './hmac-sha1.ts'

export interface Signed {
  readonly body: string
  readonly isJson: boolean
  readonly moreHeaders: readonly (readonly [string, string])[]
}

export interface SigningKeys {
  readonly privateKey: string
  /** Those of an endpoint that opted in; empty for all others. */
  readonly secrets: readonly string[]
  readonly sendsJson: boolean
}

const noHeaders: Signed['moreHeaders'] = []

export function signed(
  messageId: string,
  details: string,
  { privateKey, secrets, sendsJson }: SigningKeys,
  worldNow: () => Date,
): Signed {
  // An endpoint without a secret was just turned back to the form.
  const isJson = sendsJson && secrets.length > 0
  if (isJson) return withHeaders(messageId, standardWebhooksBody(details), isJson, secrets, worldNow)
  const body = `details=${encodeURIComponent(details)}&signature=${hmacSha1(privateKey, details)}` // the sdk's hookBody says the same
  if (secrets.length === 0) return { body, isJson, moreHeaders: noHeaders }
  return withHeaders(messageId, body, isJson, secrets, worldNow)
}

function withHeaders(
  id: string,
  body: string,
  isJson: boolean,
  secrets: readonly string[],
  worldNow: () => Date,
): Signed {
  const timestampS = Math.floor(worldNow().getTime() / 1_000)
  return { body, isJson, moreHeaders: standardWebhooksHeaders({ id, timestampS, body }, secrets) }
}
