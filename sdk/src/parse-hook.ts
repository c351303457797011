// Reads a hook and believes it only if it verifies. What comes out is typed by the route it came to: the kind is never guessed from
// `type` where examples of the interface have that crossed.

import { sha256Hex } from '#platform'
import { isBytes } from './bytes.ts'
import { type Hook, type HookOfRoute, hookKinds, kindOfType, typesOfRoute, type UnroutedHook } from './hook.ts'
import {
  BadSignatureError,
  BodyAlreadyParsedError,
  MissingParameterError,
  NotJsonError,
  TooLargeError,
  WrongKindError,
} from './hook-errors.ts'
import { type HookKind, type HookType, hookSchemas } from './hook-schemas.ts'
import { isObject, knownFields } from './known-fields.ts'
import { type PrivateKeys, privateKeysOf } from './private-keys.ts'
import { verifyHook } from './sign.ts'
import { whyNotSigned } from './why-not-signed.ts'

/** `details` has at most 64 KiB, and URL encoding makes three bytes of one. */
export const hookBytesMax = 262_144

interface Parameters {
  readonly details: string
  readonly signature: string
}

/** The body as it came, or its two parameters after URL decoding. */
export type HookInput = string | Uint8Array | Parameters

export interface ParseOptions<Route extends HookKind> {
  /** The kind of the endpoint that this came to. Without it, FAR and Error are `far_or_error`, as on a generic one. */
  readonly kind?: Route | undefined
}

/** Throws a HookError, which says what is wrong. Keys: the merchant's Private Key; several, while one is being replaced. */
export function parseHook<Route extends HookKind>(
  input: HookInput,
  keys: PrivateKeys,
  options: { readonly kind: Route },
): HookOfRoute[Route]
export function parseHook(input: HookInput, keys: PrivateKeys): UnroutedHook
export function parseHook(input: HookInput, keys: PrivateKeys, options: ParseOptions<HookKind>): Hook
export function parseHook(input: HookInput, keys: PrivateKeys, { kind: route }: ParseOptions<HookKind> = {}): Hook {
  refuseUnknownKind(route)
  const given = parametersOf(input)
  const allKeys = privateKeysOf(keys)
  const keyIndex = allKeys.findIndex(key => verifyHook(given.details, given.signature, key))
  if (keyIndex === -1) throw new BadSignatureError(whyNotSigned(given, allKeys))
  return hookOf(given, keyIndex, route)
}

/** Of what was verified before. */
export function hookOf({ details: text, signature }: Parameters, keyIndex: number, route: HookKind | undefined): Hook {
  const all = objectFrom(text)
  const kind = kindOf(route, all.type)
  const details = knownFields(hookSchemas[kind === 'far_or_error' ? 'error' : kind], all)
  const isTest = isTestOf(details)
  const verified = { details, isTest, id: sha256Hex(text), detailsText: text }
  return { kind, route: route ?? null, ...verified, signature, keyIndex } as Hook
}

/** Like a key that is missing, this is a mistake of the application, not of whoever sent the hook. */
export function refuseUnknownKind(route: unknown): void {
  if (route === undefined || hookKinds.some(kind => kind === route)) return
  throw new TypeError(`kind must be one of ${hookKinds.join(', ')}.`)
}

function parametersOf(input: unknown): Parameters {
  if (typeof input === 'string') return fromForm(input)
  if (isBytes(input)) return fromForm(new TextDecoder().decode(input))
  if (!isObject(input)) throw new BodyAlreadyParsedError(`There is no body here, but ${nameOf(input)}.`)
  return fromObject(input)
}

function fromForm(body: string): Parameters {
  if (body.length > hookBytesMax) throw new TooLargeError(hookBytesMax)
  const form = new URLSearchParams(body)
  return { details: onceIn(form, 'details', body), signature: onceIn(form, 'signature', body) }
}

function onceIn(form: URLSearchParams, name: 'details' | 'signature', body: string): string {
  const [value, another] = form.getAll(name)
  if (value !== undefined && another === undefined) return value
  if (value !== undefined) throw new MissingParameterError(name, `${name} is there more than once.`)
  throw new MissingParameterError(name, `${name} is missing. ${whyNoForm(body)}`)
}

const ofJson = 'Does the endpoint have standard_webhooks json? Then use parseStandardWebhook.'

function whyNoForm(body: string): string {
  if (body === '') return 'The body is empty: did something read it before?'
  const form = 'A hook is a form (application/x-www-form-urlencoded) with details and signature.'
  if (/^\s*[{["]/.test(body)) return `The body is JSON. ${form} Give the whole body, not details alone. ${ofJson}`
  if (body.startsWith('--')) return `The body is multipart. ${form}`
  return form
}

function fromObject(input: { readonly [name: string]: unknown }): Parameters {
  const { details, signature } = input
  if (typeof details === 'string' && typeof signature === 'string') {
    if (details.length > hookBytesMax) throw new TooLargeError(hookBytesMax)
    return { details, signature }
  }
  if (isObject(details)) throw new BodyAlreadyParsedError('details is an object: its JSON was parsed already.')
  if (typeof details !== 'string' && typeof signature !== 'string') {
    throw new BodyAlreadyParsedError('This is an object without the text of details and signature.')
  }
  const missing = typeof details === 'string' ? 'signature' : 'details'
  throw new MissingParameterError(missing, `${missing} must be text, and is ${nameOf(input[missing])}.`)
}

function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  return Array.isArray(value) ? 'a list' : `of type ${typeof value}`
}

function objectFrom(details: string): { readonly [name: string]: unknown } {
  let value: unknown
  try {
    value = JSON.parse(details)
  } catch {
    throw new NotJsonError()
  }
  if (!isObject(value)) throw new NotJsonError()
  return value
}

/** A Pre-Sale must never pass for a payment, whatever URL it was sent to. Where `type` is missing, the route alone says it. */
function kindOf(route: HookKind | undefined, type: unknown): Hook['kind'] {
  const isMissing = type === undefined || type === null
  if (route === undefined) return isKnownType(type) ? kindOfType[type] : wrongKind('any hook', type)
  const fits = typesOfRoute[route].some(one => one === type)
  if (route !== 'generic') return fits || isMissing ? route : wrongKind(route, type)
  return fits && isKnownType(type) ? kindOfType[type] : wrongKind(route, type)
}

function isKnownType(type: unknown): type is HookType {
  return typeof type === 'string' && Object.hasOwn(kindOfType, type)
}

function wrongKind(route: string, type: unknown): never {
  throw new WrongKindError(route, type)
}

function isTestOf(details: unknown): boolean {
  if (!isObject(details) || !isObject(details.user_data)) return false
  const { custom_data } = details.user_data
  return isObject(custom_data) && custom_data.test === 'true'
}
