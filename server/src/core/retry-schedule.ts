// When a notification is tried (the interface's own table), and what an attempt's answer makes of it.

/** When each attempt is due, counted from the original one. After the tenth the notification is dropped. */
export const attemptOffsets = ['0s', '5m', '10m', '15m', '20m', '27.5m', '87.5m', '4.8h', '12.8h', '28.45h'] as const
export const attemptsMax = attemptOffsets.length

const unitMs: { readonly [unit: string]: number } = { s: 1_000, m: 60_000, h: 3_600_000 }
export const attemptOffsetsMs: readonly number[] = attemptOffsets.map(text =>
  Math.round(Number.parseFloat(text) * (unitMs[text.slice(-1)] ?? 0)),
)

/** The longest that anything waits for its next attempt. What is due later was dated by a clock that has gone back. */
export const longestGapMs = Math.max(...attemptOffsetsMs.map((ms, index) => ms - (attemptOffsetsMs[index - 1] ?? 0)))

export interface Made {
  /** How many of the schedule's attempts were made, at least one. */
  readonly made: number
  readonly originalAt: Date
  readonly lastAt: Date
}

/**
 * Its place in the table, but not sooner after the attempt before than half of the table's gap: what was missed while the
 * service was down does not come in a burst. Null: that was the last.
 */
export function nextAttemptAt({ made, originalAt, lastAt }: Made): Date | null {
  const offsetMs = attemptOffsetsMs[made]
  if (offsetMs === undefined) return null
  const gapMs = offsetMs - (attemptOffsetsMs[made - 1] ?? 0)
  return new Date(Math.max(originalAt.getTime() + offsetMs, lastAt.getTime() + gapMs / 2))
}

/** Any of 200 to 299, whatever the body. A redirect is a failure; so is an answer that was not whole in time. */
export function isAccepted(status: number | null): boolean {
  return status !== null && status >= 200 && status <= 299
}

export const deliveryStates = ['pending', 'delivered', 'dropped', 'canceled'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** What is known of a delivery when an attempt of it is made. */
export interface BeforeAttempt {
  readonly state: DeliveryState
  readonly scheduledMade: number
  readonly originalAt: Date | null
  readonly lastAt: Date | null
  /** Asked for outside the schedule; null: the schedule's own attempt. */
  readonly resendAt: Date | null
}

export interface AfterAttempt {
  readonly state: DeliveryState
  readonly scheduledMade: number
  readonly originalAt: Date | null
  readonly lastAt: Date | null
  /** When the schedule goes on; null: nothing more is due. */
  readonly dueAt: Date | null
}

/** A resend is one attempt outside the schedule: it can deliver, and otherwise changes nothing. */
export function afterAttempt(before: BeforeAttempt, attempt: { at: Date; accepted: boolean }): AfterAttempt {
  const made = before.resendAt !== null ? schedulePart(before) : withScheduled(before, attempt.at)
  if (attempt.accepted) return { ...made, state: 'delivered', dueAt: null }
  if (before.state !== 'pending') return { ...made, state: before.state, dueAt: null }
  if (made.originalAt === null || made.lastAt === null) return { ...made, state: 'pending', dueAt: attempt.at }
  const dueAt = nextAttemptAt({ made: made.scheduledMade, originalAt: made.originalAt, lastAt: made.lastAt })
  return { ...made, state: dueAt === null ? 'dropped' : 'pending', dueAt }
}

function schedulePart({ scheduledMade, originalAt, lastAt }: BeforeAttempt) {
  return { scheduledMade, originalAt, lastAt }
}

/** An original attempt that lies ahead was made under a clock that has gone back since: the schedule goes on from now. */
function withScheduled({ scheduledMade, originalAt }: BeforeAttempt, at: Date) {
  const isPast = originalAt !== null && originalAt <= at
  return { scheduledMade: scheduledMade + 1, originalAt: isPast ? originalAt : at, lastAt: at }
}
