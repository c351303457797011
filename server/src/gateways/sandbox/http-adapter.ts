// The gateway port over HTTP, to a sandbox server. What an answer proves is decided here, and only from what was
// understood in full: doubt about the answer is doubt about the operation.

import type {
  Gateway,
  GatewayOutcome,
  LookupOutcome,
  Note,
  NotSent,
  OperationRequest,
  RefusedCard,
  Unknown,
} from '../../core/gateway.ts'
import { parsedUrl } from '../../core/web-address.ts'
import type { LedgerRow, SandboxControls } from './account.ts'
import { rootOf } from './engine.ts'
import { type Answered, type Call, type Caller, type CallResult, createCaller } from './http-call.ts'
import { ownerOf, sandboxPromises } from './in-process.ts'
import { listOf } from './listing.ts'
import { cardRefusals } from './test-cards.ts'
import { bodyBytesMax, isMembers, readError, readFound, readStoreCard, toJson } from './wire.ts'

export interface SandboxOverHttpOptions {
  /** `http://host:port`, with a path where the server stands under one. */
  readonly url: string
  readonly account: string
}

/** A ledger grows with its account, and is asked for by tests alone. */
const ledgerBytesMax = 64 * 1024 * 1024
const controlTimeoutMs = 30_000

export function openSandboxOverHttp({ url, account }: SandboxOverHttpOptions): Gateway & SandboxControls {
  const base = sandboxUrl(url)
  if (base === null) throw new Error('The sandbox is reached at http://host:port, without credentials and query.')
  if (!/^[\x21-\x39\x3b-\x7e]{1,255}$/.test(account)) throw new Error('An account is visible ASCII without a colon.')
  const caller = createCaller(base, account)
  const controls = controlsOver(caller)
  const noted = async (call: Call, signal: AbortSignal, note: Note | undefined) => {
    const result = await caller.call(call, signal)
    note?.(`${call.method} ${call.path} -> ${said(result)}`)
    return result
  }
  const removeCard: Gateway['removeCard'] = async (cardRef, signal) => {
    const call = { ...get(`/cards/${encodeURIComponent(cardRef)}`), method: 'DELETE' as const }
    const result = await caller.call(call, signal)
    if (isOk(result) && isMembers(result.body) && result.body.removed === true) return { kind: 'removed' }
    return { kind: 'unknown', cause: causeOf(result) }
  }
  const lookup: Gateway['lookup'] = async (request, signal, note) =>
    lookupOf(await noted(get(lookupPath(request)), signal, note))
  return {
    promises: sandboxPromises,
    prepare: () => null, // it is sent the port's own words
    send: async (request, signal, note) => outcomeOf(await noted(post('/operations', request), signal, note)),
    lookup,
    listUnderId: null, // its books have one operation under an id
    checkReference: async (request, gatewayRef, signal, note) =>
      ownerOf(await lookup(request, signal, note), gatewayRef),
    async fence(request, signal, note) {
      return isFenced(await noted(post(`/operations/${request.id}/fence`, request), signal, note))
    },
    cardFields: { kind: 'number' },
    async storeCard(card, signal) {
      if ('fieldsToken' in card) return { kind: 'refused', sentence: cardRefusals.entered }
      const given = 'reference' in card ? { reference: card.reference } : card
      const result = await caller.call(post('/cards', given), signal)
      const outcome = isOk(result) ? readStoreCard(result.body) : null
      return outcome ?? notStoredBy(result)
    },
    removeCard,
    removeOwnCard: removeCard, // the sandbox has no cards but ours
    async describeCard(cardRef, signal) {
      const result = await caller.call(get(`/cards/${encodeURIComponent(cardRef)}`), signal)
      const outcome = isOk(result) ? readStoreCard(result.body) : null
      return outcome ?? { kind: 'unknown', cause: causeOf(result) }
    },
    customerStep: null,
    notices: null,
    list: span => listOf(controls.ledger, span),
    ...controls,
    close: caller.close,
  }
}

/** Null: not `http://host:port`, without credentials and query. */
export function sandboxUrl(url: string): URL | null {
  const base = parsedUrl(url)
  const plain = base !== null && base.protocol === 'http:' && base.username === '' && base.search === ''
  return plain ? base : null
}

function controlsOver(caller: Caller): SandboxControls {
  return {
    async challenge(operationId, result) {
      const path = `/operations/${operationId}/challenge`
      const answer = await caller.call(post(path, { result }), AbortSignal.timeout(controlTimeoutMs))
      if (answer.kind !== 'answered') return 'unknown'
      if (answer.status === 409) return 'not_waiting'
      return isOk(answer) ? 'settled' : 'unknown'
    },
    async ledger() {
      const call = { ...get('/ledger'), answerBytesMax: ledgerBytesMax }
      const answer = await caller.call(call, AbortSignal.timeout(controlTimeoutMs))
      if (!isOk(answer) || !isMembers(answer.body) || !Array.isArray(answer.body.ledger)) {
        throw new Error(`The sandbox did not show its ledger. ${causeOf(answer)}`)
      }
      return answer.body.ledger as LedgerRow[]
    },
  }
}

function post(path: string, body: object): Call {
  return { method: 'POST', path, body: toJson(body), answerBytesMax: bodyBytesMax }
}

function get(path: string): Call {
  return { method: 'GET', path, body: null, answerBytesMax: bodyBytesMax }
}

function lookupPath(request: OperationRequest): string {
  return `/operations/${request.id}?chargeId=${rootOf(request)}`
}

function isOk(result: CallResult): result is Answered {
  return result.kind === 'answered' && result.status === 200
}

function isFenced(result: CallResult): boolean {
  return isOk(result) && isMembers(result.body) && result.body.fenced === true
}

/** In words of ours: of what the server wrote only what we understood. */
function said(result: CallResult): string {
  if (result.kind !== 'answered') return result.cause
  const understood = isFenced(result) ? 'fenced' : isOk(result) ? readFound(result.body)?.kind : null
  return `${result.status} ${understood ?? causeOf(result)}`
}

function outcomeOf(result: CallResult): GatewayOutcome {
  if (result.kind !== 'answered') return result
  if (result.status === 200) {
    const found = readFound(result.body)
    return found === null || found.kind === 'absent' ? { kind: 'unknown', cause: causeOf(result) } : found
  }
  // Refused by the sandbox itself, which says so in its own words, and before it did anything. A 409 is no such
  // refusal: it says that this id was used for something else, which may have happened.
  const isRefusal = result.status >= 400 && result.status <= 499 && result.status !== 409
  const cause = causeOf(result)
  if (!isRefusal || readError(result.body) === null) return { kind: 'unknown', cause }
  return { kind: 'not_sent', code: 'gateway_refused', cause }
}

/** It was given the number, and might repeat it: of its words none is passed on. */
function notStoredBy(result: CallResult): RefusedCard | NotSent | Unknown {
  if (result.kind !== 'answered') return result
  const { status, body } = result
  if (status === 422 && readError(body) !== null) return { kind: 'refused', sentence: 'The sandbox refused the card.' }
  return { kind: 'unknown', cause: `The answer of the sandbox (HTTP ${status}) was not understood.` }
}

/** A lookup that did not come through tells nothing, whether or not it left. */
function lookupOf(result: CallResult): LookupOutcome {
  const found = isOk(result) ? readFound(result.body) : null
  return found ?? { kind: 'unknown', cause: causeOf(result) }
}

function causeOf(result: CallResult): string {
  if (result.kind !== 'answered') return result.cause
  const error = readError(result.body)
  return error === null
    ? `The answer of the sandbox (HTTP ${result.status}) was not understood.`
    : `The sandbox refused (HTTP ${result.status}): ${error}`
}
