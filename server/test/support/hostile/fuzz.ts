// Many cases of what a stranger may send. Where one breaks a promise, the smallest that still does is shown, and how to run it again.
// CASES: how many, if not as many as the test says. SEED: of the chance. FIRST: the number of the first, for one that was found before.

import { type Chance, chanceOfCase } from './chance.ts'

export interface Fuzzed<Case> {
  /** The same case for the same chance. */
  readonly make: (chance: Chance, index: number) => Case
  /** Throws where a promise is broken; else says in a word how it ended. */
  readonly hold: (given: Case) => string | Promise<string>
  /** What is smaller than it, and may be broken in the same way. */
  readonly smaller: (given: Case) => Iterable<Case>
  readonly shown?: (given: Case) => string
  readonly close?: () => Promise<void>
}

export interface Budget {
  readonly cases: number
  readonly seed: number
  readonly first: number
}

export interface Outcomes {
  readonly [word: string]: number
}

export function budget(cases: number): Budget {
  const { CASES, SEED, FIRST } = process.env
  return { cases: Number(CASES ?? cases), seed: Number(SEED ?? 20_261_116), first: Number(FIRST ?? 0) }
}

const shrinksMax = 2_000

export async function fuzz<Case>(
  { make, hold, smaller, shown = String }: Fuzzed<Case>,
  { cases, seed, first }: Budget,
  begins: (index: number) => void = () => {},
): Promise<Outcomes> {
  const outcomes: { [word: string]: number } = {}
  for (let index = first; index < first + cases; index += 1) {
    begins(index)
    const given = make(chanceOfCase(seed, index), index)
    try {
      const ended = hold(given)
      const outcome = typeof ended === 'string' ? ended : await ended
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    } catch (error) {
      const smallest = await smallestOf(given, error as Error, { hold, smaller })
      throw new Error(
        `case ${index} breaks it; again: ${again(seed, index)}\n${shown(smallest.given)}\n${smallest.error.message}`,
        { cause: smallest.error },
      )
    }
  }
  return outcomes
}

export const again = (seed: number, index: number) => `SEED=${seed} FIRST=${index} CASES=1`

async function smallestOf<Case>(
  given: Case,
  error: Error,
  { hold, smaller }: Pick<Fuzzed<Case>, 'hold' | 'smaller'>,
): Promise<{ readonly given: Case; readonly error: Error }> {
  let best = { given, error }
  let left = shrinksMax
  for (let isSmaller = true; isSmaller && left > 0; ) {
    isSmaller = false
    for (const next of smaller(best.given)) {
      left -= 1
      const broken = await whyBroken(hold, next)
      if (broken !== null) {
        best = { given: next, error: broken }
        isSmaller = true
      }
      if (isSmaller || left <= 0) break
    }
  }
  return best
}

async function whyBroken<Case>(hold: Fuzzed<Case>['hold'], given: Case): Promise<Error | null> {
  try {
    await hold(given)
    return null
  } catch (error) {
    return error as Error
  }
}
