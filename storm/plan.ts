// What a storm does and when, drawn from its seed before it begins.

import type { Chance } from './chance.ts'

export const processes = ['api 1', 'api 2', 'worker 1', 'worker 2', 'mail'] as const
export type ProcessName = (typeof processes)[number]

export const workers = ['worker 1', 'worker 2'] as const
export type WorkerName = (typeof workers)[number]

/** `mail`: to the process that takes it in; `relay`: to the one that takes ours. `database of …`: between that process and PostgreSQL. */
export type LineName =
  | 'gateway'
  | 'merchant'
  | 'customers of api 1'
  | 'customers of api 2'
  | 'mail'
  | 'relay'
  | `database of ${ProcessName}`

export const lineNames: readonly LineName[] = [
  ...(['gateway', 'merchant', 'customers of api 1', 'customers of api 2', 'mail', 'relay'] as const),
  ...processes.map((name): LineName => `database of ${name}`),
]

export type Fault =
  | { readonly kind: 'kill'; readonly who: ProcessName; readonly forMs: number }
  | { readonly kind: 'stop'; readonly who: ProcessName | 'gateway'; readonly forMs: number }
  | { readonly kind: 'database'; readonly how: 'at once' | 'in order' | 'a backend is killed' }
  | { readonly kind: 'connections are cut' }
  | { readonly kind: 'connections are taken'; readonly forMs: number }
  | { readonly kind: 'cut'; readonly line: LineName }
  | { readonly kind: 'close'; readonly line: LineName; readonly forMs: number }
  | { readonly kind: 'silence'; readonly line: LineName; readonly forMs: number }
  | { readonly kind: 'answers are lost'; readonly line: LineName; readonly forMs: number }
  | { readonly kind: 'delay'; readonly line: LineName; readonly byMs: number; readonly forMs: number }
  | { readonly kind: 'clock'; readonly who: ProcessName; readonly byMs: number; readonly forMs: number }
  | { readonly kind: 'leases expire' }
  | { readonly kind: 'taken for dead'; readonly who: WorkerName; readonly forMs: number }
  | { readonly kind: 'time passes'; readonly byMs: number }
  | { readonly kind: 'key is replaced' }
  | { readonly kind: 'endpoint is paused'; readonly forMs: number }

export type Planned = Fault & { readonly atMs: number }

const moneyLines: readonly LineName[] = ['gateway', 'database of api 1', 'database of api 2', 'database of mail']
const longSilences: readonly LineName[] = ['gateway', 'database of worker 1', 'database of worker 2']

/** How often each comes, compared with the others. */
const draws: readonly (readonly [times: number, draw: (chance: Chance) => Fault])[] = [
  [6, chance => ({ kind: 'kill', who: chance.pick(processes), forMs: chance.between(0, 2_000) })],
  [2, chance => ({ kind: 'stop', who: chance.pick([...processes, 'gateway']), forMs: chance.between(200, 4_000) })],
  // Long enough to be taken for dead.
  [1, chance => ({ kind: 'stop', who: chance.pick(processes), forMs: chance.between(12_000, 16_000) })],
  [1, chance => ({ kind: 'database', how: chance.pick(['at once', 'in order', 'a backend is killed']) })],
  [1, () => ({ kind: 'connections are cut' })],
  [1, chance => ({ kind: 'connections are taken', forMs: chance.between(1_000, 4_000) })],
  [5, chance => ({ kind: 'cut', line: chance.pick(lineNames) })],
  [2, chance => ({ kind: 'close', line: chance.pick(lineNames), forMs: chance.between(200, 3_000) })],
  [2, chance => ({ kind: 'silence', line: chance.pick(lineNames), forMs: chance.between(200, 6_000) })],
  // Longer than anybody waits for an answer of a gateway, and for a worker's heart to beat.
  [1, chance => ({ kind: 'silence', line: chance.pick(longSilences), forMs: chance.between(31_000, 35_000) })],
  // What was asked is done, and nobody is told: most often that money moved.
  [2, chance => ({ kind: 'answers are lost', line: chance.pick(lineNames), forMs: chance.between(20, 1_000) })],
  [4, chance => ({ kind: 'answers are lost', line: chance.pick(moneyLines), forMs: chance.between(20, 300) })],
  [
    2,
    chance => ({
      kind: 'delay',
      line: chance.pick(lineNames),
      byMs: chance.between(20, 800),
      forMs: chance.between(500, 5_000),
    }),
  ],
  [
    2,
    chance => ({ kind: 'clock', who: chance.pick(processes), byMs: jumpOf(chance), forMs: chance.between(500, 6_000) }),
  ],
  [1, () => ({ kind: 'leases expire' })],
  // What it holds is given to others while it stands there with answers in its hands, and then it goes on.
  [4, chance => ({ kind: 'taken for dead', who: chance.pick(workers), forMs: chance.between(4_000, 8_000) })],
  [4, chance => ({ kind: 'time passes', byMs: chance.between(2, 8) * 60_000 })],
  [1, () => ({ kind: 'key is replaced' })],
  [1, chance => ({ kind: 'endpoint is paused', forMs: chance.between(500, 4_000) })],
]

/** Back as often as ahead, and less than what keys and mails are remembered for. */
function jumpOf(chance: Chance): number {
  return chance.pick([-1, 1]) * chance.pick([2_000, 60_000, 3_600_000])
}

/** A fault each second or so, now and then several at once. */
export function planOf(chance: Chance, lastsMs: number): Planned[] {
  const bag = draws.flatMap(([times, draw]) => Array.from({ length: times }, () => draw))
  const plan: Planned[] = []
  for (let atMs = 0; ; ) {
    atMs += chance.happens(0.3) ? chance.between(0, 100) : chance.between(400, 1_800)
    if (atMs >= lastsMs) return plan
    plan.push({ ...chance.pick(bag)(chance), atMs })
  }
}
