// What the audit holds deliveries against: who is owed an event, the schedule, and the attempts that were made. Each fault
// is one sentence. A note is what a worker is about to mend; it becomes a fault only by staying.

import type { EventKind } from '../hook-details.ts'
import { attemptsMax, type DeliveryState, isAccepted, nextAttemptAt } from '../retry-schedule.ts'

export interface KnownEndpoint {
  readonly id: string
  readonly kind: string
  readonly createdAt: Date
  readonly deletedAt: Date | null
  /** It may be owed what happened before it was there. */
  readonly backfilled: boolean
}

export interface DeliveredEvent {
  readonly kind: EventKind
  readonly at: Date
  /** It was sent to try one endpoint. */
  readonly isTest: boolean
  /** The endpoints that it has deliveries for. */
  readonly endpoints: readonly string[]
}

/**
 * An endpoint that came or went so near to the event is not judged: which of the two was committed first cannot be read
 * from times that were taken before either commit.
 */
const sameMomentMs = 2_000

export function faultsOfEvent(event: DeliveredEvent, known: readonly KnownEndpoint[]): string[] {
  if (event.isTest) {
    const has = event.endpoints.length
    return has === 1 ? [] : [`is a test, owed to one endpoint, and has ${has} deliveries.`]
  }
  const has = new Set(event.endpoints)
  return known.flatMap(endpoint => {
    const owed = isOwed(event, endpoint)
    if (owed === null || owed === has.has(endpoint.id)) return []
    const named = `endpoint ${endpoint.id} (${endpoint.kind})`
    return [owed ? `is owed to ${named}, and has no delivery for it.` : `has a delivery for ${named}, and owes none.`]
  })
}

/** Null: it cannot be told. */
function isOwed({ kind, at }: DeliveredEvent, endpoint: KnownEndpoint): boolean | null {
  if (endpoint.kind !== kind && (endpoint.kind !== 'generic' || kind === 'update')) return false
  const afterMs = (time: Date | null) => (time === null ? Number.POSITIVE_INFINITY : time.getTime() - at.getTime())
  const [createdMs, deletedMs] = [afterMs(endpoint.createdAt), afterMs(endpoint.deletedAt)]
  if (Math.abs(createdMs) <= sameMomentMs || Math.abs(deletedMs) <= sameMomentMs) return null
  if (endpoint.backfilled && createdMs > 0) return null
  return createdMs < 0 && deletedMs > 0
}

export interface JudgedDelivery {
  readonly state: DeliveryState
  readonly attempts: number
  readonly scheduledMade: number
  readonly originalAt: Date | null
  readonly lastAt: Date | null
  readonly dueAt: Date | null
  readonly resendAt: Date | null
  readonly parked: boolean
  /** Null: nobody holds it. */
  readonly holderLives: boolean | null
  readonly endpointStatus: 'enabled' | 'paused' | 'deleted'
  /** What it names that is not there. */
  readonly absent: readonly ('endpoint' | 'event')[]
  /** Retention takes attempts only after it took the event's details. */
  readonly detailsKept: boolean
  /** Its customer was erased: what a paused endpoint is owed for long after that is canceled. */
  readonly isOfErased: boolean
  readonly tries: readonly Try[]
}

export interface Try {
  readonly number: number
  readonly atMs: number
  readonly status: number | null
  /** Asked for outside the schedule. */
  readonly resend: boolean
}

export function faultsOfDelivery(delivery: JudgedDelivery): string[] {
  const { attempts, tries, detailsKept, absent } = delivery
  if (absent.length > 0) return absent.map(what => `names an ${what} that is not there.`)
  const forgotten = attempts > 0 && tries.length === 0 && !detailsKept
  return [
    ...stateFaults(delivery),
    ...dueFaults(delivery),
    ...(forgotten ? [] : [...countFaults(delivery), ...answerFaults(delivery), ...scheduleFaults(delivery)]),
  ]
}

export function notesOnDelivery({ state, dueAt, parked, holderLives, endpointStatus }: JudgedDelivery): string[] {
  const notes: string[] = []
  if (holderLives === false) notes.push('is held by a worker that is gone, and about to be freed.')
  if (parked && endpointStatus === 'enabled') notes.push('waits for an endpoint that was resumed.')
  if (dueAt !== null && endpointStatus === 'deleted') notes.push(`is ${state}, and its endpoint was deleted.`)
  return notes
}

function stateFaults({ state, attempts, scheduledMade, endpointStatus, isOfErased }: JudgedDelivery): string[] {
  const faults: string[] = []
  if (scheduledMade > Math.min(attempts, attemptsMax))
    faults.push(`counts ${scheduledMade} attempts of the schedule's ${attemptsMax}, and ${attempts} in all.`)
  if (state === 'dropped' && scheduledMade < attemptsMax)
    faults.push(`was dropped after ${scheduledMade} attempts of the schedule's ${attemptsMax}.`)
  if (state === 'canceled' && endpointStatus !== 'deleted' && !isOfErased)
    faults.push(`was canceled, and its endpoint is ${endpointStatus}.`)
  return faults
}

/** Clocks of two processes may differ, and times are kept to the millisecond. */
const toleranceMs = 1_000

/** A delivery that is due at a time that never comes is one that was lost. */
function dueFaults({ state, scheduledMade, originalAt, lastAt, dueAt, resendAt }: JudgedDelivery): string[] {
  if (state !== 'pending') return []
  if (dueAt === null) return ['is pending, and never due.']
  if (scheduledMade === 0 || resendAt !== null) return []
  if (originalAt === null || lastAt === null) return ['was tried, and does not say when.']
  const place = nextAttemptAt({ made: scheduledMade, originalAt, lastAt })
  if (place === null) return [`is pending after all ${attemptsMax} attempts.`]
  const offMs = Math.abs(dueAt.getTime() - place.getTime())
  return offMs <= toleranceMs ? [] : [`is due at ${dueAt.toISOString()}, and its place is ${place.toISOString()}.`]
}

function countFaults({ attempts, scheduledMade, tries }: JudgedDelivery): string[] {
  const isWhole = tries.length === attempts && tries.every(({ number }, index) => number === index + 1)
  const numbers = tries.map(({ number }) => number).join(', ') || 'none'
  if (!isWhole) return [`counts ${attempts} attempts, and has these: ${numbers}.`]
  const made = scheduledOf(tries).length
  return made === scheduledMade ? [] : [`counts ${scheduledMade} attempts of the schedule, and ${made} were made.`]
}

function scheduledOf(tries: readonly Try[]): Try[] {
  return tries.filter(({ resend }) => !resend)
}

function answerFaults({ state, tries }: JudgedDelivery): string[] {
  const accepted = tries.find(({ status }) => isAccepted(status))
  if (state === 'delivered') return accepted === undefined ? ['is delivered, and no attempt was accepted.'] : []
  return accepted === undefined ? [] : [`is ${state}, and attempt ${accepted.number} was accepted.`]
}

function scheduleFaults({ originalAt, tries }: JudgedDelivery): string[] {
  const scheduled = scheduledOf(tries)
  const [original] = scheduled
  if (original === undefined) return []
  const early = scheduled.filter(({ atMs }, made) => made > 0 && atMs < earliestMs(scheduled, made) - toleranceMs)
  const began = new Date(original.atMs)
  return [
    ...(originalAt?.getTime() === original.atMs
      ? []
      : [`was first tried at ${began.toISOString()}, and says otherwise.`]),
    ...early.map(
      ({ number, atMs }) => `was tried at ${new Date(atMs).toISOString()}, too early for attempt ${number}.`,
    ),
  ]
}

function earliestMs(tries: readonly Try[], made: number): number {
  const [originalAt, lastAt] = [new Date(tries[0]?.atMs ?? 0), new Date(tries[made - 1]?.atMs ?? 0)]
  return nextAttemptAt({ made, originalAt, lastAt })?.getTime() ?? Number.POSITIVE_INFINITY
}
