// Load, at a rate that does not ask how the service fares, and what became of it.

import { setTimeout as delay } from 'node:timers/promises'
import type { Answer } from './client.ts'

export interface Asked<Of> {
  readonly of: Of
  readonly answer: Answer
  readonly tookMs: number
}

export async function timed<Of>(of: Of, ask: (of: Of) => Promise<Answer>): Promise<Asked<Of>> {
  const beganMs = performance.now()
  const answer = await ask(of)
  return { of, answer, tookMs: performance.now() - beganMs }
}

/** So many in each second, evenly, whether or not those before are answered. Rejects where one gets no answer. */
export async function offer<Of>(
  { perS, forMs }: { readonly perS: number; readonly forMs: number },
  next: () => Of,
  ask: (of: Of) => Promise<Answer>,
): Promise<Asked<Of>[]> {
  const sent: Promise<Asked<Of>>[] = []
  const beganMs = performance.now()
  for (let nowMs = beganMs; nowMs < beganMs + forMs; nowMs = performance.now()) {
    const dueByNow = ((nowMs - beganMs) / 1_000) * perS
    while (sent.length < dueByNow) sent.push(timed(next(), ask))
    await delay(5)
  }
  return Promise.all(sent)
}

/** One after the other by each of so many, until the time is over. */
export async function inTurns<Of>(
  {
    clients,
    isOver,
    pauseMs = 0,
  }: { readonly clients: number; readonly isOver: () => boolean; readonly pauseMs?: number },
  next: () => Of,
  ask: (of: Of) => Promise<Answer>,
): Promise<Asked<Of>[]> {
  const each = async () => {
    const asked: Asked<Of>[] = []
    while (!isOver()) {
      asked.push(await timed(next(), ask))
      if (pauseMs > 0) await delay(pauseMs)
    }
    return asked
  }
  return (await Promise.all(Array.from({ length: clients }, each))).flat()
}

/** Of what took how long: so many hundredths took no longer. */
export function percentile(asked: readonly { readonly tookMs: number }[], hundredths: number): number {
  const sorted = asked.map(({ tookMs }) => tookMs).sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * hundredths) / 100))] ?? Number.NaN
}
