// The sandbox as a gateway in the service's own process: no server to start, the same rules, the same ways to fail.

import { setTimeout as delay } from 'node:timers/promises'
import type {
  Gateway,
  GatewayOutcome,
  GatewayPromises,
  LookupOutcome,
  ReferenceOwner,
  Unknown,
} from '../../core/gateway.ts'
import { type AccountOptions, openAccount, type SandboxControls } from './account.ts'
import { type Answer, rootOf, type Sent } from './engine.ts'
import { listOf } from './listing.ts'
import { cardRefusals } from './test-cards.ts'

/** The books keep operations for ever. A day is what real gateways promise, and what we want to be tested against. */
export const sandboxPromises: GatewayPromises = { idempotentForMs: 24 * 60 * 60_000, lookup: true, fence: true }

export function openSandbox(options: AccountOptions): Gateway & SandboxControls {
  const account = openAccount(options)
  const removeCard: Gateway['removeCard'] = async (cardRef, signal) => {
    const removed = await within(signal, () => account.removeCard(cardRef))
    return removed.kind === 'done' ? { kind: 'removed' } : removed
  }
  const lookup: Gateway['lookup'] = async (request, signal, note) => {
    const found = await within(signal, () => account.lookup(request.id, rootOf(request)))
    const outcome = found.kind === 'done' ? found.value : found
    note?.(`lookup -> ${said(outcome)}`)
    return outcome
  }
  return {
    promises: sandboxPromises,
    prepare: () => null, // it is sent the port's own words
    async send(request, signal, note) {
      const sent = await within(signal, () => account.send(request))
      const outcome = sent.kind === 'done' ? await arrive(sent.value, signal) : sent
      note?.(`send -> ${said(outcome)}`)
      return outcome
    },
    lookup,
    listUnderId: null, // its books have one operation under an id
    checkReference: async (request, gatewayRef, signal, note) =>
      ownerOf(await lookup(request, signal, note), gatewayRef),
    async fence(request, signal, note) {
      const fenced = await within(signal, () => account.fence(request))
      note?.(`fence -> ${fenced.kind === 'done' ? (fenced.value ? 'stands' : 'does not stand') : said(fenced)}`)
      return fenced.kind === 'done' && fenced.value
    },
    cardFields: { kind: 'number' },
    async storeCard(card, signal) {
      if ('fieldsToken' in card) return { kind: 'refused', sentence: cardRefusals.entered }
      const stored = await within(signal, () => account.storeCard(card))
      return stored.kind === 'done' ? stored.value : stored
    },
    removeCard,
    removeOwnCard: removeCard, // the sandbox has no cards but ours
    async describeCard(cardRef, signal) {
      const found = await within(signal, () => account.describeCard(cardRef))
      return found.kind === 'done' ? found.value : found
    },
    customerStep: null,
    notices: null,
    list: span => listOf(account.ledger, span),
    close() {},
    challenge: async (operationId, result) =>
      (await account.challenge(operationId, result)) ? 'settled' : 'not_waiting',
    ledger: account.ledger,
  }
}

/** The sandbox says its reference with each operation that it knows. */
export function ownerOf(found: LookupOutcome, gatewayRef: string): ReferenceOwner {
  if (found.kind === 'unknown') return found
  return { kind: 'gatewayRef' in found && found.gatewayRef === gatewayRef ? 'ours' : 'not_ours' }
}

function said(outcome: GatewayOutcome | LookupOutcome): string {
  return 'cause' in outcome ? `${outcome.kind}: ${outcome.cause}` : outcome.kind
}

/** Does to the answer what a network would. The operation is in the books by now, or was lost on its way in. */
async function arrive({ answer, travel }: Sent, signal: AbortSignal): Promise<GatewayOutcome> {
  if (travel.kind === 'reset') return unknown('The connection was reset.')
  if (travel.kind === 'slow') await delay(travel.afterMs, null, { signal }).catch(() => null)
  if (travel.kind === 'lost' || answer === null) await aborted(signal)
  if (signal.aborted || answer === null) return unknown('The sandbox did not answer in time.')
  return outcomeOf(answer)
}

function outcomeOf(answer: Answer): GatewayOutcome {
  if (answer.kind === 'conflict') return unknown(answer.cause)
  if (answer.kind === 'refused') return { kind: 'not_sent', code: 'gateway_refused', cause: answer.cause }
  return answer
}

/** The work's value, or `unknown` when the signal comes first or the books fail: they may have written before they failed. */
async function within<T>(
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<{ readonly kind: 'done'; readonly value: T } | Unknown> {
  if (signal.aborted) return unknown('The time was up before the sandbox was asked.')
  const working = work().then(
    value => ({ kind: 'done' as const, value }),
    (error: unknown) => unknown(`The sandbox could not use its books (${nameOf(error)}).`),
  )
  const listening = new AbortController()
  const late = aborted(signal, listening.signal).then(() => unknown('The sandbox did not answer in time.'))
  return Promise.race([working, late]).finally(() => listening.abort())
}

/** Resolves when the signal aborts. `until` takes the listener off a signal that may outlive many calls. */
function aborted(signal: AbortSignal, until?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (signal.aborted) resolve()
  signal.addEventListener('abort', () => resolve(), { once: true, ...(until && { signal: until }) })
  return promise
}

/** A driver's message may quote what it was given; its name and code do not. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'not an error'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

function unknown(cause: string): Unknown {
  return { kind: 'unknown', cause }
}
