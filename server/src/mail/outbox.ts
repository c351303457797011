// Claim, write, send, settle: what customers are told by mail. Whatever is in hand when the process dies is freed by another,
// and sent again under the same Message-ID: at least once, never zero times.

import { afterFailure, type HeldMail, type MailBound, type MailEnd } from '../core/outgoing-mail.ts'
import type { WorksFor } from '../core/works-for.ts'
import { createHands, type HandsStore, type HandsWorld } from './hands.ts'
import type { Mail, MailOutcome, SendMail } from './mailer.ts'

export interface MailStore extends HandsStore<HeldMail> {
  /** False: somebody else has it by now. */
  settle(held: HeldMail, end: MailEnd, now: Date): Promise<boolean>
}

/** A mail that may go now, or why it is not to go at all. */
export type Written =
  | {
      readonly kind: 'mail'
      readonly mail: Mail
      readonly send: SendMail
      /** Null: it goes each time. */
      readonly bound: MailBound | null
    }
  | { readonly kind: 'skip'; readonly cause: string }

export interface OutboxWorld extends Pick<HandsWorld<HeldMail>, 'holder' | 'now'> {
  readonly store: MailStore
  readonly worksFor: <T>(merchant: WorksFor, work: () => T) => T
  /** Made anew for every attempt: the secrets in it are kept nowhere. */
  readonly write: (held: HeldMail) => Promise<Written>
  /** Whether one so bounded may go out now; counted until it is given back. */
  readonly mayGo: (held: HeldMail, bound: MailBound) => Promise<boolean>
  readonly didNotGo: (held: HeldMail, bound: MailBound) => Promise<void>
  readonly observe: {
    settled(held: HeldMail, end: MailEnd): void
    /** Another worker has it: what came of ours is not written. */
    tooLate(held: HeldMail): void
    freed(count: number): void
    failed(error: unknown): void
  }
}

export interface MailOutbox {
  /** Begins to send what is owed. */
  start(): void
  /** Something may be due now. */
  wake(): void
  /** Sends all that is due, and answers when it is written what came of it: how many attempts that took. */
  sendDue(): Promise<number>
  /** Lets what is on its way go out. */
  stop(): Promise<void>
}

const inHandMax = 8
const perMerchantMax = 2
/** One that comes to no end so often is not the fault of a relay. */
const attemptsMax = 20
const oneIsEnough = 'A mail of this kind went to this address within the hour.'

export function createOutbox(world: OutboxWorld): MailOutbox {
  const { store, holder, now, observe } = world
  const { freed, failed } = observe
  const hands = createHands({
    store,
    work: held => world.worksFor(held, () => bring(held)),
    inHandMax,
    perMerchantMax,
    holder,
    now,
    freed,
    failed,
  })

  async function bring(held: HeldMail): Promise<void> {
    const end = await endOf(held)
    if (await store.settle(held, end, now())) observe.settled(held, end)
    else observe.tooLate(held)
  }

  async function endOf(held: HeldMail): Promise<MailEnd> {
    if (held.attempts > attemptsMax) return { state: 'dropped', cause: 'It came to no end too often.' }
    const written = await world.write(held)
    if (written.kind === 'skip') return { state: 'skipped', cause: written.cause }
    const { mail, send, bound } = written
    const mayGo = bound === null || (await world.mayGo(held, bound))
    // Where the attempt before was lost, it may be the one that was counted, and have been sent or not.
    if (!mayGo && !held.followsLost) return { state: 'skipped', cause: oneIsEnough }
    const outcome = await send(mail)
    if (outcome.kind !== 'taken' && bound !== null) await world.didNotGo(held, bound)
    return endAfter(held, outcome)
  }

  function endAfter(held: HeldMail, outcome: MailOutcome): MailEnd {
    if (outcome.kind === 'taken') return { state: 'sent' }
    if (outcome.kind === 'refused') return { state: 'dropped', cause: outcome.cause }
    return afterFailure(held, now(), outcome.cause)
  }

  return { start: hands.start, wake: hands.wake, sendDue: hands.doDue, stop: hands.stop }
}
