// What a client is made with, checked at once: a variable that is not set is told where it is missing, not by a 401.

import { toBase64 } from '../base64.ts'

export interface TillbellOptions {
  readonly apiKey: string
  readonly apiSecret: string
  /** Where the service is, `https://pay.example.com`. */
  readonly baseUrl: string
  /** In place of the global one. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** How long one try may take; 60 s by default. A charge waits for the gateway up to 30 s, and for Pre-Sale before that. */
  readonly timeoutMs?: number | undefined
  /** How long a call may take with all its tries and the waits between them; 120 s by default. */
  readonly deadlineMs?: number | undefined
  /** How often a call is tried again; 3 by default. */
  readonly retries?: number | undefined
}

/** For one call. */
export interface CallOptions {
  /** 1 to 255 visible characters, such as an order's number; a random one by default. A call that changes nothing has none. */
  readonly idempotencyKey?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  readonly deadlineMs?: number | undefined
  readonly retries?: number | undefined
}

export interface Limits {
  readonly timeoutMs: number
  readonly deadlineMs: number
  readonly retries: number
}

export interface Settings {
  readonly baseUrl: string
  readonly authorization: string
  readonly fetch: typeof globalThis.fetch
  readonly limits: Limits
}

const usualLimits: Limits = { timeoutMs: 60_000, deadlineMs: 120_000, retries: 3 }
/** What a timer can count: one that is longer would end at once. */
const timerMsMax = 2 ** 31 - 1

export function checkedSettings(options: TillbellOptions): Settings {
  const { apiKey, apiSecret, fetch = (...asked) => globalThis.fetch(...asked) } = options
  for (const [name, value] of Object.entries({ apiKey, apiSecret })) {
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a text that is not empty.`)
  }
  if (apiKey.includes(':')) throw new TypeError('apiKey must not contain ":".')
  return {
    baseUrl: checkedBaseUrl(options.baseUrl),
    authorization: `Basic ${toBase64(new TextEncoder().encode(`${apiKey}:${apiSecret}`))}`,
    fetch,
    limits: checkedLimits(options, usualLimits),
  }
}

export function checkedLimits(given: Partial<{ [name in keyof Limits]: number | undefined }>, usual: Limits): Limits {
  const { timeoutMs = usual.timeoutMs, deadlineMs = usual.deadlineMs, retries = usual.retries } = given
  for (const [name, value] of Object.entries({ timeoutMs, deadlineMs })) {
    if (!(value > 0 && value <= timerMsMax)) throw new RangeError(`${name} must be from 1 to ${timerMsMax}.`)
  }
  if (!Number.isInteger(retries) || retries < 0) throw new RangeError('retries must be a whole number from 0 on.')
  return { timeoutMs, deadlineMs, retries }
}

export function checkedKey(key: string): string {
  // fetch itself would refuse it, and that would look like a connection that failed.
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new TypeError('idempotencyKey must be 1 to 255 visible characters.')
}

function checkedBaseUrl(given: string): string {
  const says = 'baseUrl must be the address of the service, such as https://pay.example.com.'
  let url: URL
  try {
    url = new URL(given)
  } catch {
    throw new TypeError(says)
  }
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (!/^https?:$/.test(url.protocol) || !isPlain) throw new TypeError(says)
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}
