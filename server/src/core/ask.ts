// ask: one time that a gateway was asked about an operation in doubt, and what was heard. Kept with the change that it leads
// to, so that whoever settles the doubt sees what was tried.

import type { NextStep } from './doubt.ts'
import type { Note } from './gateway.ts'
import { keptLine } from './kept-text.ts'
import type { Operation } from './operation.ts'
import type { Ask } from './ports.ts'

const linesMax = 20
const lineCharsMax = 500

export interface Asking {
  readonly note: Note
  /** All that was heard so far. */
  record(): Ask
}

/** Of an operation whose ask is already counted. */
export function beginAsk({ id: operationId, asks: number }: Operation, step: NextStep, at: Date): Asking {
  const heard: string[] = []
  return {
    note(exchange) {
      if (heard.length < linesMax) heard.push(keptLine(exchange, lineCharsMax))
    },
    record: () => ({ operationId, number, at, step, heard: [...heard] }),
  }
}
