// Verifies the Standard Webhooks headers of an endpoint that opted in to them: beside the body's own signature, which covers details
// alone, they cover the whole body and the time.

import { isSameText } from '#platform'
import { BadSignatureError, MissingParameterError, TooOldError } from './hook-errors.ts'
import { standardWebhooksSignature } from './standard-webhooks.ts'

/** As a Request has them, or as Node does. */
export type HeadersLike =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined }

export interface StandardWebhook {
  /** The same for every attempt of a delivery to one endpoint. */
  readonly id: string
  readonly timestampS: number
}

export interface SignedBy {
  readonly webhook: StandardWebhook
  readonly signature: string
  /** Which of several secrets. */
  readonly secretIndex: number
}

export type WebhookSecrets = string | undefined | readonly (string | undefined)[]

export interface StandardWebhookOptions {
  /** How far the sender's clock may be from ours, both ways. */
  readonly toleranceS?: number
  readonly nowS?: number
}

const notSigned =
  'Either somebody else sent it, or the secret is not this endpoint’s, or the body was decoded before. Give it as it came.'
const noSecret =
  'There is no Standard Webhooks secret: what was given is empty or undefined. Is the environment variable set?'

/**
 * Throws a HookError. Body: as it came, before any decoding. Secrets: the endpoint's, one or several (`whsec_…`). Where there is none,
 * or one is cut, it throws a TypeError: that is never to be overlooked.
 */
export function verifyStandardWebhook(
  headers: HeadersLike,
  body: string | Uint8Array,
  secrets: WebhookSecrets,
  options: StandardWebhookOptions = {},
): StandardWebhook {
  return findSigner(headers, body, secrets, options).webhook
}

export function findSigner(
  headers: HeadersLike,
  body: string | Uint8Array,
  secrets: WebhookSecrets,
  { toleranceS = 300, nowS = Date.now() / 1_000 }: StandardWebhookOptions,
): SignedBy {
  const [id, time] = [headerOf(headers, 'webhook-id'), headerOf(headers, 'webhook-timestamp')]
  const signatures = headerOf(headers, 'webhook-signature').split(' ')
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const timestampS = /^[0-9]{1,12}$/.test(time) ? Number(time) : Number.NaN
  const all = [secrets]
    .flat()
    .filter(secret => secret !== '')
    .filter(secret => secret !== undefined)
  if (all.length === 0) throw new TypeError(noSecret)
  const expected = all.map(secret => standardWebhooksSignature({ id, timestampS, body: text }, secret))
  const secretIndex = expected.findIndex(one => signatures.some(given => isSameText(given, one)))
  const signature = expected[secretIndex]
  if (signature === undefined) throw new BadSignatureError(notSigned)
  if (!(Math.abs(nowS - timestampS) <= toleranceS)) throw new TooOldError(toleranceS)
  return { webhook: { id, timestampS }, signature, secretIndex }
}

function headerOf(headers: HeadersLike, name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : (headers as PlainHeaders)[name]
  if (typeof value === 'string' && value !== '') return value
  throw new MissingParameterError(name, `The header ${name} is missing. Does the endpoint have standard_webhooks?`)
}

type PlainHeaders = { readonly [name: string]: string | readonly string[] | undefined }
