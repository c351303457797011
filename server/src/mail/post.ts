// Sends mail behind the back of whoever asked for it: how long a relay takes, and whether it takes a mail at all, is not for
// them to see. What waits is in memory alone, so that a secret in a mail is kept nowhere: what dies with its process is
// asked for again.

import timers from 'node:timers/promises'
import type { Mail, MailOutcome, SendMail } from './mailer.ts'

export interface Post {
  /** Returns at once. */
  send(mail: Mail): void
  /** Tries each mail that the relay has not taken once more, also one whose attempt fails only now. */
  stop(): Promise<void>
}

export interface PostLog {
  sent(mail: Mail): void
  notSent(mail: Mail, outcome: Exclude<MailOutcome, { kind: 'taken' }>): void
}

/** After these a relay that takes nothing is tried again. Later than that, nobody waits for the mail any more. */
const againAfterMs = [1_000, 5_000, 30_000, 120_000]
/** So that a relay which is away does not fill the memory. */
const inHandMax = 1_000

export function createPost(send: SendMail, log: PostLog): Post {
  const inHand = new Set<Promise<void>>()
  const stopping = new AbortController()

  async function tryOften(mail: Mail): Promise<MailOutcome> {
    for (const afterMs of againAfterMs) {
      const isLast = stopping.signal.aborted
      const outcome = await send(mail)
      if (outcome.kind !== 'not_now' || isLast) return outcome
      await timers.setTimeout(afterMs, null, { signal: stopping.signal }).catch(() => {})
    }
    return send(mail)
  }

  async function bring(mail: Mail): Promise<void> {
    const outcome =
      inHand.size < inHandMax
        ? await tryOften(mail)
        : ({ kind: 'not_now', cause: 'Too many mails wait already.' } as const)
    if (outcome.kind === 'taken') log.sent(mail)
    else log.notSent(mail, outcome)
  }

  return {
    send(mail) {
      const bringing = bring(mail)
      inHand.add(bringing)
      bringing.finally(() => inHand.delete(bringing))
    },
    async stop() {
      stopping.abort()
      await Promise.allSettled(inHand)
    },
  }
}
