// What can go wrong on the way to Stripe, in it, and back: for the next request that matches, or for all of them.

import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Form } from './form.ts'
import { failure, type Reply } from './reply.ts'

export interface Asked {
  readonly method: string
  readonly path: string
  readonly form: Form
  readonly key: string | null
  /** Of Stripe's API. */
  readonly version: string | null
}

/** Before or after the request was carried out. */
export type When = 'before' | 'after'

export type Fault =
  /** Turned away before anything began: nothing is kept under the key. */
  | { readonly kind: 'refuse'; readonly reply: Reply }
  /** A 500. `during`: its execution began and did nothing. From then on the 500 is kept under the key. */
  | { readonly kind: 'breakdown'; readonly at: When | 'during' }
  /** A page of HTML from something in between. */
  | { readonly kind: 'page'; readonly status: number; readonly at: When }
  /** A 200 whose body is an error. */
  | { readonly kind: 'error_inside'; readonly at: When }
  /** The JSON ends half-way, and its length agrees. */
  | { readonly kind: 'truncate' }
  /** The connection ends half-way through the body. */
  | { readonly kind: 'cut' }
  | { readonly kind: 'alter'; readonly change: (body: Record<string, unknown>) => void }
  | { readonly kind: 'reset'; readonly at: When }
  | { readonly kind: 'silence'; readonly at: When }
  /** Its key is in use, and it is carried out when this resolves. */
  | { readonly kind: 'hold'; readonly until: () => Promise<void> }
  /** The answer comes byte by byte. */
  | { readonly kind: 'drip'; readonly everyMs: number }
  | { readonly kind: 'twice' }

export const unauthorized: Fault = {
  kind: 'refuse',
  reply: failure(401, { type: 'invalid_request_error', message: 'Invalid API Key provided.' }),
}

/** 403: the key may not do this any more. 400: the account may not charge. */
export function suspended(status: 400 | 403): Fault {
  const type = 'invalid_request_error'
  if (status === 403) {
    return {
      kind: 'refuse',
      reply: failure(403, { type, code: 'account_invalid', message: 'The account is rejected.' }),
    }
  }
  const message = 'Your account cannot currently make live charges.'
  return { kind: 'refuse', reply: failure(400, { type, code: 'testmode_charges_only', message }) }
}

export function busy(retryAfterS: number): Fault {
  const reply = failure(429, { type: 'invalid_request_error', code: 'rate_limit', message: 'Too many requests.' })
  return { kind: 'refuse', reply: { ...reply, headers: { 'retry-after': String(retryAfterS) } } }
}

export class Faults {
  #waiting: { readonly fault: Fault; readonly fits: (asked: Asked) => boolean; readonly isForAll: boolean }[] = []

  /** For the next request that fits, and only for it. */
  next(fault: Fault, fits: (asked: Asked) => boolean = () => true): void {
    this.#waiting.push({ fault, fits, isForAll: false })
  }

  always(fault: Fault, fits: (asked: Asked) => boolean = () => true): void {
    this.#waiting.push({ fault, fits, isForAll: true })
  }

  clear(): void {
    this.#waiting = []
  }

  take(asked: Asked): Fault | null {
    const found = this.#waiting.find(({ fits }) => fits(asked))
    if (found === undefined) return null
    if (!found.isForAll) this.#waiting = this.#waiting.filter(each => each !== found)
    return found.fault
  }
}

export const breakdown: Reply = failure(500, { type: 'api_error', message: 'Something went wrong on our end.' })

const aPage = '<!doctype html><title>Bad gateway</title><h1>Bad gateway</h1>'
const errorInside = JSON.stringify(breakdown.body)

export interface Answer {
  readonly status: number
  readonly text: string
  readonly headers: { readonly [name: string]: string }
}

/** Sends an answer the way the fault wants it. */
export async function deliver(response: ServerResponse, answer: Answer, fault: Fault | null): Promise<void> {
  const { status, text, headers } = answer
  const json = { ...headers, 'content-type': 'application/json' }
  switch (fault?.kind) {
    case 'page':
      return end(response, fault.status, { ...headers, 'content-type': 'text/html' }, aPage)
    case 'error_inside':
      return end(response, 200, json, errorInside)
    case 'truncate':
      return end(response, status, json, text.slice(0, text.length / 2))
    case 'cut':
      response.writeHead(status, { ...json, 'content-length': Buffer.byteLength(text) })
      response.write(text.slice(0, text.length / 2), () => response.socket?.destroy())
      return
    case 'alter': {
      const body = JSON.parse(text)
      fault.change(body)
      return end(response, status, json, JSON.stringify(body))
    }
    case 'reset':
      response.socket?.resetAndDestroy()
      return
    case 'silence':
      return
    case 'drip':
      response.writeHead(status, { ...json, 'content-length': Buffer.byteLength(text) })
      for (const byte of Buffer.from(text)) {
        if (response.destroyed) return
        response.write(Buffer.of(byte))
        await delay(fault.everyMs, undefined, { ref: false })
      }
      response.end()
      return
    case 'twice':
      response.on('finish', () => response.socket?.write(rawAnswer(status, json, text)))
      return end(response, status, json, text)
    default:
      return end(response, status, json, text)
  }
}

function end(response: ServerResponse, status: number, headers: Answer['headers'], text: string): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) }).end(text)
}

function rawAnswer(status: number, headers: Answer['headers'], text: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} Again\r\n${lines.join('')}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}
