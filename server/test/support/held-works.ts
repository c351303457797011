// Holds several works of one process at a time, each at a step of its own: one that is killed then has all of them in hand.

import type { Database } from '../../src/store/database.ts'
import type { Held } from './gate.ts'
import { type HeldAt, holdCommits } from './held-commit.ts'
import { until } from './until.ts'

export interface HeldWork {
  /** No other work is about it. */
  readonly offer: string
  /** In a commit, or at a message, which is the next of its kind. */
  readonly at: HeldAt | (() => Held)
  /** Resolves when it has begun. */
  begin(): Promise<void>
}

export interface HeldWorks {
  releaseMessages(): void
  releaseCommits(): Promise<void>
}

/** Begins each, and waits until it is where it is to be held, before the next. */
export async function holdWorks(sql: Database, works: readonly HeldWork[]): Promise<HeldWorks> {
  const commits = await holdCommits(
    sql,
    works.flatMap(({ at, offer }) => (typeof at === 'function' ? [] : [{ ...at, offer }])),
  )
  const messages: Held[] = []
  const releaseMessages = () => {
    for (const { release } of messages) release()
  }
  try {
    for (const [index, { at, begin }] of works.entries()) {
      const held = typeof at === 'function' ? at() : null
      if (held !== null) messages.push(held)
      await begin()
      await (held === null ? commits.reached(index + 1 - messages.length) : soon(held.reached))
    }
  } catch (error) {
    releaseMessages()
    await commits.release()
    throw error
  }
  return { releaseMessages, releaseCommits: commits.release }
}

async function soon(reached: Promise<void>): Promise<void> {
  let isReached = false
  void reached.then(() => {
    isReached = true
  })
  await until('the message is held', async () => isReached)
}
