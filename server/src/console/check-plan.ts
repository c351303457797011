// What an endpoint is sent to see whether it believes what is true, and nothing else: in which order, and what each answer
// says. Pure: who sends is elsewhere.

import { isAccepted } from '../core/retry-schedule.ts'
import type { CheckedStep, CheckNote, CheckStep, CheckVerdict } from './contract/endpoint-check.ts'

/** How a request is spoilt; null: it is as it should be. */
export type Forgery = 'other key' | 'altered' | 'unsigned'

export interface Planned {
  readonly step: CheckStep
  readonly expects: CheckedStep['expects']
  readonly forgery: Forgery | null
  /** How long before now it happened, as its `date` says. Requests of the same moment are the same, byte for byte. */
  readonly agoS: number
}

const good: Planned = { step: 'good', expects: 'accepted', forgery: null, agoS: 2 }
const forged: readonly Planned[] = [
  { step: 'bad_signature', expects: 'refused', forgery: 'other key', agoS: 2 },
  { step: 'altered', expects: 'refused', forgery: 'altered', agoS: 2 },
  { step: 'unsigned', expects: 'refused', forgery: 'unsigned', agoS: 2 },
]
const repeated: readonly Planned[] = [
  { step: 'duplicate', expects: 'accepted', forgery: null, agoS: 2 },
  { step: 'newer', expects: 'accepted', forgery: null, agoS: 0 },
  { step: 'older', expects: 'accepted', forgery: null, agoS: 1 },
]

/** Pre-Sale is asked once, and in no order. */
export function checkPlan(kind: string): readonly Planned[] {
  return kind === 'pre_sale' ? [good, ...forged] : [good, ...forged, ...repeated]
}

export interface Answered {
  readonly status: number | null
  readonly reason: string | null
  readonly durationMs: number
  readonly answer: string
  /** It did not leave. */
  readonly isOurs?: true
}

/** Within the shortest time that endpoints usually have, and a customer may be waiting. */
const slowMs = 5_000
const answerCharsMax = 1_000

export function judged({ step, expects }: Planned, answered: Answered, goodStatus: number | null): CheckedStep {
  const { status, reason, durationMs, answer } = answered
  const verdict = verdictOn(step, expects, isAccepted(status), isAccepted(goodStatus))
  return {
    step,
    expects,
    verdict,
    status,
    reason,
    duration_ms: durationMs,
    answer: status === null && answer === '' ? null : answer.slice(0, answerCharsMax),
    notes: [
      ...(verdict === 'says_nothing' ? [] : notesOn(step, expects, status)),
      ...(durationMs > slowMs && status !== null ? ['slow' as const] : []),
    ],
  }
}

export function notSent({ step, expects }: Planned): CheckedStep {
  const nothing = { status: null, reason: null, duration_ms: null, answer: null, notes: [] }
  return { step, expects, verdict: 'not_sent', ...nothing }
}

/** Whoever refuses all refuses also what is forged, known or out of order: that says nothing about them. */
function verdictOn(
  step: CheckStep,
  expects: CheckedStep['expects'],
  isTaken: boolean,
  isGoodTaken: boolean,
): CheckVerdict {
  if (isTaken) return expects === 'accepted' ? 'right' : 'wrong'
  if (step !== 'good' && !isGoodTaken) return 'says_nothing'
  return expects === 'accepted' ? 'wrong' : 'right'
}

function notesOn(step: CheckStep, expects: CheckedStep['expects'], status: number | null): CheckNote[] {
  if (expects === 'refused') return notesOnForged(status)
  if (isAccepted(status)) return []
  if (status === null) return ['unreachable']
  if (status >= 300 && status <= 399) return ['redirects']
  if (step === 'duplicate') return ['refuses_duplicate']
  if (step === 'newer' || step === 'older') return ['refuses_order']
  return [status >= 500 ? 'breaks_on_good' : 'refuses_good']
}

function notesOnForged(status: number | null): CheckNote[] {
  if (isAccepted(status)) return ['believes_forged']
  if (status === null || status >= 500) return ['breaks_on_forged']
  return status === 401 || status === 403 ? [] : ['better_403']
}
