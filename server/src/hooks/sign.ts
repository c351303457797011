// A request as it is signed: the body of the interface, and the Standard Webhooks headers where the endpoint asked for
// them. Their time is the world's, not the sandbox clock's: receivers compare it with their own.

import { standardWebhooksHeaders } from '@tillbell/sdk'
import { hmacSha1 } from './hmac-sha1.ts'

export interface Signed {
  readonly body: string
  readonly moreHeaders: readonly (readonly [string, string])[]
}

export interface SigningKeys {
  readonly privateKey: string
  /** Those of an endpoint that opted in; empty for all others. */
  readonly secrets: readonly string[]
}

export function signed(
  messageId: string,
  details: string,
  { privateKey, secrets }: SigningKeys,
  worldNow: () => Date,
): Signed {
  const body = `details=${encodeURIComponent(details)}&signature=${hmacSha1(privateKey, details)}` // the sdk's hookBody says the same
  if (secrets.length === 0) return { body, moreHeaders: [] }
  const timestampS = Math.floor(worldNow().getTime() / 1_000)
  return { body, moreHeaders: standardWebhooksHeaders({ id: messageId, timestampS, body }, secrets) }
}
