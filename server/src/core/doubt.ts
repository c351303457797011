// What to do about an operation whose outcome is not known. Doubt ends by proof: the same operation is sent again under
// its own id (roll forward) while that is promised to be safe; after that the gateway is made to refuse the id for ever
// (fence) and asked. What an adapter cannot prove waits for a person. Nothing here guesses.
//
// Its age is the service's clock less `created_at`, and both are the database's time of day. If that was ahead when the
// operation was created and was set right later, the operation seems younger than it is, and the gateway may have forgotten
// its id. So the asks are counted as well: after the first few, nothing is sent before the gateway was asked what it has.

import type { GatewayPromises } from './gateway.ts'
import type { Operation } from './operation.ts'

/** From one ask to the next; the last gap repeats. */
export const askGaps = ['5s', '30s', '2m', '10m', '1h'] as const

/** From an operation's creation on. A gateway that has proven nothing by then will hardly, and somebody should know. */
export const asksFor = '3d'

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const inMs = (text: string) => Number(text.slice(0, -1)) * unitMs[text.slice(-1) as keyof typeof unitMs]
const askGapsMs = askGaps.map(inMs)
export const longestAskGapMs = Math.max(...askGapsMs)

/** After this a buyer has gone away, and a charge is better ended than carried out. */
export const chargeRollsForwardForMs = 5 * 60_000

/** They follow within three minutes, whatever the clock says: no gateway has forgotten the id by then. */
const earlyAsks = 3

/** An ask after this is no early one, also where it is the first: no process may have been there to ask in time. */
const earlyForMs = 10 * 60_000

/** Processes look at the database's time every few seconds. What begins further ahead was created when it was ahead. */
export const aheadMaxMs = 60_000

/** A last sending may take its time, and clocks differ: so long before a gateway forgets its keys, nothing is sent again. */
const keyMarginMs = 10 * 60_000

export const askedInVain = 'The gateway was asked for three days and proved nothing; it is not asked again by itself.'

export type NextStep = 'send_again' | 'look_up_then_send' | 'fence_and_look_up' | 'look_up' | 'leave_to_a_person'

export function nextStep(operation: Operation, promises: GatewayPromises, now: Date): NextStep {
  const { lookup, fence } = promises
  if (rollsForward(operation, promises, now)) {
    return lookup && !isAskedEarly(operation, now) ? 'look_up_then_send' : 'send_again'
  }
  if (lookup) return fence ? 'fence_and_look_up' : 'look_up'
  return 'leave_to_a_person'
}

function rollsForward(operation: Operation, promises: GatewayPromises, now: Date): boolean {
  if (isFromFuture(operation, now)) return false
  // The fourth ask of a charge comes when its five minutes are over, or later.
  if (operation.kind === 'charge' && operation.asks >= earlyAsks) return false
  return now.getTime() < rollsForwardUntilMs(operation, promises)
}

function isAskedEarly({ asks, createdAt }: Operation, now: Date): boolean {
  return asks < earlyAsks && now.getTime() < createdAt.getTime() + earlyForMs
}

/** Created when the database's time was ahead: nobody knows how old it is. */
function isFromFuture({ createdAt }: Operation, now: Date): boolean {
  return createdAt.getTime() > now.getTime() + aheadMaxMs
}

/**
 * The next time to ask; a charge is asked for sure when rolling forward ends, so that its buyer is not kept waiting. A
 * gateway that asked to be left alone is, for no longer than the longest gap. Null: it was asked for long enough. One that
 * waits for its customer is not in doubt, and is looked at for as long as it waits.
 */
export function nextAskAt(operation: Operation, promises: GatewayPromises, now: Date, leftAloneMs = 0): Date | null {
  const gapMs = askGapsMs[Math.min(operation.asks, askGapsMs.length - 1)] ?? 0
  const notBeforeMs = now.getTime() + Math.min(leftAloneMs, longestAskGapMs)
  const byScheduleMs = Math.max(now.getTime() + gapMs, notBeforeMs)
  const turnMs = rollsForwardUntilMs(operation, promises)
  const turnIsNext = operation.kind === 'charge' && now.getTime() < turnMs && turnMs < byScheduleMs
  const atMs = turnIsNext ? Math.max(turnMs, notBeforeMs) : byScheduleMs
  const isOver = atMs > operation.createdAt.getTime() + inMs(asksFor)
  return isOver && operation.outcome === 'unknown' ? null : askedAt(operation, now, atMs)
}

/**
 * An operation from the future is asked about before the time at which it says that it was created. The sweep takes up at
 * once what is due at that time or later (store/sweeping.ts), and would otherwise ask about it every second.
 */
function askedAt(operation: Operation, now: Date, atMs: number): Date {
  return new Date(isFromFuture(operation, now) ? Math.min(atMs, operation.createdAt.getTime() - 1) : atMs)
}

/**
 * The next time to ask about what a person has decided: at the same growing intervals, counted from the decision, for three
 * days or as long as the gateway keeps keys. Null: it was asked for long enough.
 */
export function nextRecheckAt(decidedAt: Date, keysKeptMs: number, now: Date): Date | null {
  const elapsedMs = now.getTime() - decidedAt.getTime()
  let afterMs = 0
  for (const gapMs of askGapsMs) {
    afterMs += gapMs
    if (afterMs > elapsedMs) return new Date(decidedAt.getTime() + afterMs)
  }
  const nextMs = elapsedMs + longestAskGapMs
  return nextMs > Math.max(inMs(asksFor), keysKeptMs) ? null : new Date(decidedAt.getTime() + nextMs)
}

/** When it is tried again to write down what a gateway said: on the schedule of asks. */
export function retryAt(operation: Operation, now: Date): Date {
  const gapMs = askGapsMs[Math.min(operation.asks, askGapsMs.length - 1)] ?? 0
  return askedAt(operation, now, now.getTime() + gapMs)
}

function rollsForwardUntilMs(operation: Operation, promises: GatewayPromises): number {
  const safeForMs = promises.idempotentForMs - keyMarginMs
  const forMs = operation.kind === 'charge' ? Math.min(chargeRollsForwardForMs, safeForMs) : safeForMs
  return operation.createdAt.getTime() + forMs
}
