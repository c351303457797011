// One question to the console, the service's routes for this dashboard. What it refuses is a value, not an exception: only
// our own mistakes throw.

import type { Me } from '../../../server/src/console/contract/me.ts'

export interface Question {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly json?: unknown
  readonly query?: Query
  /** Idempotency-Key: for everything that moves money or makes something. */
  readonly key?: string
  readonly signal?: AbortSignal
}

/** What is null, undefined or empty is left out. */
export type Query = { readonly [name: string]: string | number | boolean | null | undefined }

export interface Answered<Body> {
  readonly ok: true
  readonly status: number
  readonly body: Body
  /** Of a list that goes on: what `after` is to be for its next page. */
  readonly next: string | null
}

export interface Refused {
  readonly ok: false
  /** 0: no answer came. */
  readonly status: number
  /** A sentence for each field that it is about, and `general`. Empty where no answer came. */
  readonly errors: { readonly [field: string]: string }
  readonly retryAfterS: number | null
  /** All that was answered, where a refusal says more than its errors. */
  readonly body: unknown
}

export type Asked<Body> = Answered<Body> | Refused

let csrfToken: string | null = null
let madeFor: string | null = null
let whenSignedOut: () => void = () => {}
let root = ''

/** What stands before every path of the service's. */
export function askUnder(path: string): void {
  root = path
}

/**
 * With every answer that has it. False: it is another person, or another merchant, than this page was made for. Their token
 * is not taken: what was typed for the one is never sent as the other.
 */
export function keepMe({ email, merchant, csrf_token }: Me): boolean {
  const who = JSON.stringify([email, merchant.id])
  madeFor ??= who
  if (madeFor !== who) return false
  csrfToken = csrf_token
  return true
}

/** Whether somebody was, since this page was loaded. */
export function wasSignedIn(): boolean {
  return csrfToken !== null
}

export function onSignedOut(listener: () => void): void {
  whenSignedOut = listener
}

export async function ask<Body>(path: string, question: Question = {}): Promise<Asked<Body>> {
  const response = await fetch(addressOf(path, question.query), requestOf(question)).catch(error => {
    if (question.signal?.aborted === true) throw error
    return null
  })
  if (response === null) return { ok: false, status: 0, errors: {}, retryAfterS: null, body: null }
  const asked = await answerOf<Body>(response)
  // Wrong credentials are answered so as well: only there nobody was signed in.
  if (asked.status === 401 && path !== 'session') whenSignedOut()
  return asked
}

export function addressOf(path: string, query: Query = {}): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') given.set(name, String(value))
  }
  const text = given.toString()
  return `${root}/console/${path}${text === '' ? '' : `?${text}`}`
}

function requestOf({ method = 'GET', json, key, signal }: Question): RequestInit {
  const headers: { [name: string]: string } = { Accept: 'application/json' }
  if (method !== 'GET' && csrfToken !== null) headers['X-CSRF-Token'] = csrfToken
  if (json !== undefined) headers['Content-Type'] = 'application/json'
  if (key !== undefined) headers['Idempotency-Key'] = key
  return {
    method,
    headers,
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(signal !== undefined && { signal }),
  }
}

export async function answerOf<Body>(response: Response): Promise<Asked<Body>> {
  const { status, headers } = response
  const text = await response.text().catch(() => null)
  const body = text === null ? undefined : parsed(text)
  if (response.ok && body !== undefined)
    return { ok: true, status, body: body as Body, next: nextIn(headers.get('Link')) }
  const retryAfter = Number(headers.get('Retry-After') ?? Number.NaN)
  return {
    ok: false,
    // A proxy in between that answers with a page of its own has not said what the service did.
    status: response.ok ? 0 : status,
    errors: errorsIn(body),
    retryAfterS: Number.isFinite(retryAfter) ? retryAfter : null,
    body: body ?? null,
  }
}

function parsed(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function errorsIn(body: unknown): { readonly [field: string]: string } {
  const errors = (body as { errors?: unknown } | null | undefined)?.errors
  return typeof errors === 'object' && errors !== null ? (errors as { [field: string]: string }) : {}
}

export function nextIn(link: string | null): string | null {
  const address = /<([^>]+)>;\s*rel="next"/.exec(link ?? '')?.[1]
  return address === undefined ? null : new URL(address, 'http://here').searchParams.get('after')
}
