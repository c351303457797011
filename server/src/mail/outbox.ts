// Claim, write, send, settle: what customers are told by mail. Whatever is in hand when the process dies is freed by another,
// and sent again under the same Message-ID: at least once, never zero times.

import type { MerchantId, OutgoingMailId, WorkerId } from '../core/ids.ts'
import { afterFailure, type HeldMail, type MailEnd } from '../core/outgoing-mail.ts'
import type { Mail, MailOutcome, SendMail } from './mailer.ts'

export interface MailStore {
  /** Merchants with something to claim, the longest due first. */
  listDue(now: Date): Promise<readonly MerchantId[]>
  claim(
    merchantId: MerchantId,
    claim: { readonly holder: WorkerId; readonly now: Date; readonly limit: number },
  ): Promise<readonly HeldMail[]>
  /** False: somebody else has it by now. */
  settle(held: HeldMail, end: MailEnd, now: Date): Promise<boolean>
  /** Gives back what this worker holds without having it in hand; how many. */
  freeOthers(holder: WorkerId, inHand: readonly OutgoingMailId[]): Promise<number>
}

/** A mail that may go now, or why it is not to go at all. */
export type Written =
  | { readonly kind: 'mail'; readonly mail: Mail; readonly send: SendMail }
  | { readonly kind: 'skip'; readonly cause: string }

export interface OutboxWorld {
  readonly store: MailStore
  /** Made anew for every attempt: the secrets in it are kept nowhere. */
  readonly write: (held: HeldMail) => Promise<Written>
  /** Whether this address gets a mail of this kind now; counted until it is given back. */
  readonly mayGo: (held: HeldMail, mail: Mail) => Promise<boolean>
  readonly didNotGo: (held: HeldMail, mail: Mail) => Promise<void>
  /** Who holds what this process claims; its heart beats. */
  readonly holder: () => Promise<WorkerId>
  readonly now: () => Date
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

const everyMs = 1_000
const inHandMax = 8
/** So that one merchant's slow mails leave room for another's. */
const perMerchantMax = 2
const tidyEveryMs = 5_000

export function createOutbox(world: OutboxWorld): MailOutbox {
  const { store, observe } = world
  const inHand = new Map<HeldMail, Promise<void>>()
  let timer: NodeJS.Timeout | null = null
  let looking: Promise<number> | null = null
  let wokenMeanwhile = false
  let goes = false
  let stopping = false
  let tidiedAtMs = performance.now()

  /** One round over the merchants with something due: how many mails were taken in hand. Never two at the same time. */
  function look(): Promise<number> {
    looking ??= claimSome().finally(() => {
      looking = null
    })
    return looking
  }

  async function claimSome(): Promise<number> {
    const [holder, now] = [await world.holder(), world.now()]
    await tidy(holder)
    let taken = 0
    for (const merchantId of await store.listDue(now)) {
      const limit = roomFor(merchantId)
      if (limit === 0) continue
      const held = await store.claim(merchantId, { holder, now, limit })
      for (const each of held) takeInHand(each)
      taken += held.length
    }
    return taken
  }

  function roomFor(merchantId: MerchantId): number {
    if (stopping) return 0
    const own = [...inHand.keys()].filter(held => held.merchantId === merchantId).length
    return Math.max(0, Math.min(inHandMax - inHand.size, perMerchantMax - own))
  }

  function takeInHand(held: HeldMail): void {
    const bringing = bring(held)
      .catch(observe.failed) // it is held and not in hand from now on, and is freed as that
      .then(() => {
        inHand.delete(held)
        wake()
      })
    inHand.set(held, bringing)
  }

  async function bring(held: HeldMail): Promise<void> {
    const end = await endOf(held)
    if (await store.settle(held, end, world.now())) observe.settled(held, end)
    else observe.tooLate(held)
  }

  async function endOf(held: HeldMail): Promise<MailEnd> {
    const written = await world.write(held)
    if (written.kind === 'skip') return { state: 'skipped', cause: written.cause }
    const { mail, send } = written
    // Where the attempt before was lost it may have been counted, and was perhaps never sent.
    if (!(await world.mayGo(held, mail)) && !held.followsLost)
      return { state: 'skipped', cause: 'A mail of this kind went to this address within the hour.' }
    const outcome = await send(mail)
    if (outcome.kind !== 'taken') await world.didNotGo(held, mail)
    return endAfter(held, outcome)
  }

  function endAfter(held: HeldMail, outcome: MailOutcome): MailEnd {
    if (outcome.kind === 'taken') return { state: 'sent' }
    if (outcome.kind === 'refused') return { state: 'dropped', cause: outcome.cause }
    return afterFailure(held, world.now(), outcome.cause)
  }

  /** Held in our name, but not in hand: a commit that went through unheard, or a bug. */
  async function tidy(holder: WorkerId): Promise<void> {
    if (performance.now() - tidiedAtMs < tidyEveryMs) return
    tidiedAtMs = performance.now()
    const count = await store.freeOthers(
      holder,
      [...inHand.keys()].map(({ id }) => id),
    )
    if (count > 0) observe.freed(count)
  }

  function wake(): void {
    if (looking !== null) wokenMeanwhile = true
    else lookAfter(0)
  }

  function lookAfter(afterMs: number): void {
    if (!goes) return
    if (timer !== null) clearTimeout(timer)
    timer = setTimeout(round, afterMs)
  }

  function round(): void {
    timer = null
    wokenMeanwhile = false
    void look()
      .catch(observe.failed)
      .then(() => lookAfter(wokenMeanwhile ? 0 : everyMs))
  }

  return {
    start() {
      goes = true
      lookAfter(0)
    },
    wake,
    async sendDue() {
      for (let attempts = 0; ; ) {
        const taken = await look()
        attempts += taken
        if (inHand.size === 0 && taken === 0) return attempts
        await Promise.all(inHand.values())
        if (stopping) return attempts
      }
    },
    async stop() {
      stopping = true
      goes = false
      if (timer !== null) clearTimeout(timer)
      await looking?.catch(() => null)
      await Promise.all(inHand.values())
    },
  }
}
