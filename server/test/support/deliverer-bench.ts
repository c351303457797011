// A deliverer on a store in memory and a wire that the test answers, in time that the test lets pass.

import assert from 'node:assert/strict'
import { mock } from 'node:test'
import type { Attempt, HeldDelivery } from '../../src/core/delivery.ts'
import type { ClaimId, DeliveryId, WorkerId } from '../../src/core/ids.ts'
import { createDeliverer } from '../../src/hooks/deliverer.ts'
import { attemptWith, noon } from './delivery-samples.ts'
import type { FakeStore } from './fake-delivery-store.ts'

export interface OnWire {
  readonly held: HeldDelivery
  answer(status: number | null): void
  break(error: Error): void
}

export type Answers = (held: HeldDelivery) => number | null | undefined

/** Every attempt hangs until the test answers it, unless `answers` does. */
export function delivererOn(
  store: FakeStore,
  name: string,
  answers: Answers = () => undefined,
  isAwaited: () => boolean = () => false,
) {
  const wire: OnWire[] = []
  const seen = { attempted: [] as DeliveryId[], tooLate: 0, freed: 0, errors: [] as unknown[], paused: 0, dropped: 0 }
  let ids = 0
  let othersWoken = 0
  const deliverer = createDeliverer({
    store,
    attempt(held) {
      const status = answers(held)
      if (status !== undefined) return Promise.resolve(attemptWith(status))
      const { promise, resolve, reject } = Promise.withResolvers<Attempt>()
      wire.push({ held, answer: status => resolve(attemptWith(status)), break: reject })
      return promise
    },
    cutOff() {
      for (const { answer } of wire) answer(null)
    },
    isAwaited,
    now: () => noon,
    newWorkerId: () => `${name}${++ids}` as WorkerId,
    newClaimId: () => `claim ${++ids}` as ClaimId,
    wakeOthers: () => {
      othersWoken += 1
    },
    observe: {
      attempted: ({ id }) => void seen.attempted.push(id),
      dropped: () => {
        seen.dropped += 1
      },
      paused: () => {
        seen.paused += 1
      },
      tooLate: count => {
        seen.tooLate += count
      },
      freed: count => {
        seen.freed += count
      },
      failed: error => void seen.errors.push(error),
    },
  })
  return { deliverer, wire, seen, othersWoken: () => othersWoken }
}

let nowMs = 0

/** From here on time is what the test lets pass. */
export function stopTime(): void {
  nowMs = 1_000_000
  mock.timers.enable({ apis: ['setTimeout'] })
  mock.method(performance, 'now', () => nowMs)
}

const aTurn = () => new Promise(resolve => setImmediate(resolve))

/** Time passes, in small steps. */
export async function pass(timeMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < timeMs; passedMs += 10) {
    nowMs += 10
    mock.timers.tick(10)
    await aTurn()
  }
}

export async function passUntil(what: string, isTrue: () => boolean): Promise<void> {
  for (let waits = 0; !isTrue(); waits++) {
    assert.ok(waits < 6_000, `not within a minute: ${what}`)
    await pass(10)
  }
}

export async function passUntilEnd<T>(work: Promise<T>): Promise<T> {
  let isOver = false
  const ended = work.finally(() => {
    isOver = true
  })
  await passUntil('it ends', () => isOver)
  return ended
}
