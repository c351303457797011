// Reads a hook of an endpoint whose `standard_webhooks` is `json`, and believes it only if its headers verify.

import type { Hook, HookOfRoute, UnroutedHook } from './hook.ts'
import { NotJsonError, TooLargeError } from './hook-errors.ts'
import type { HookKind } from './hook-schemas.ts'
import { hookBytesMax, hookOf, refuseUnknownKind } from './parse-hook.ts'
import {
  findSigner,
  type HeadersLike,
  type StandardWebhookOptions,
  type WebhookSecrets,
} from './verify-standard-webhook.ts'

export interface ParseStandardWebhookOptions<Route extends HookKind> extends StandardWebhookOptions {
  /** The kind of the endpoint that this came to. Without it, FAR and Error are `far_or_error`, as on a generic one. */
  readonly kind?: Route | undefined
}

/** Around `data`, which is the text of details as it is. */
const bodyShape = /^\{"type":"[a-z_]*","timestamp":"[0-9TZ:.+-]*","data":(\{.*\})\}$/s

/** Throws a HookError, which says what is wrong. Body: as it came, before any decoding. Secrets: the endpoint's (`whsec_…`), one or several. */
export function parseStandardWebhook<Route extends HookKind>(
  headers: HeadersLike,
  body: string | Uint8Array,
  secrets: WebhookSecrets,
  options: ParseStandardWebhookOptions<Route> & { readonly kind: Route },
): HookOfRoute[Route]
export function parseStandardWebhook(
  headers: HeadersLike,
  body: string | Uint8Array,
  secrets: WebhookSecrets,
  options?: ParseStandardWebhookOptions<HookKind>,
): UnroutedHook
export function parseStandardWebhook(
  headers: HeadersLike,
  body: string | Uint8Array,
  secrets: WebhookSecrets,
  { kind, ...options }: ParseStandardWebhookOptions<HookKind> = {},
): Hook {
  refuseUnknownKind(kind)
  if (body.length > hookBytesMax) throw new TooLargeError(hookBytesMax)
  const { signature, secretIndex } = findSigner(headers, body, secrets, options)
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const [, details] = bodyShape.exec(text) ?? []
  if (details === undefined) throw new NotJsonError()
  return hookOf({ details, signature }, secretIndex, kind)
}
