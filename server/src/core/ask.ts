// ask: one time that a gateway was asked about an operation in doubt, and what was heard. Kept with the change that it leads
// to, so that whoever settles the doubt sees what was tried.

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

/** Of an operation whose ask is already counted. What the first sending heard is told with the first: it is overwritten from then on. */
export function beginAsk(operation: Operation, step: Ask['step'], at: Date): Asking {
  const { id: operationId, asks: number, cause } = operation
  const heard = number === 1 && cause !== null ? [keptLine(`before that -> ${cause}`, lineCharsMax)] : []
  return {
    note(exchange) {
      if (heard.length < linesMax) heard.push(keptLine(exchange, lineCharsMax))
    },
    record: () => ({ operationId, number, at, step, heard: [...heard] }),
  }
}

/** With what it came to, in words, after all that was heard. */
export function concluded(ask: Ask, operation: Operation): Ask {
  return { ...ask, heard: [...ask.heard, keptLine(`= ${conclusion(operation)}`, lineCharsMax)] }
}

function conclusion({ outcome, declineCode, cause, forPerson }: Operation): string {
  switch (outcome) {
    case 'succeeded':
      return 'It succeeded.'
    case 'declined':
      return `It was declined: ${declineCode}.`
    case 'not_sent':
      return `It was not made. ${cause}`
    case 'pending':
      return 'It still waits for its customer.'
    case 'unknown':
      return forPerson === null ? `Still in doubt. ${cause}` : `Left to a person. ${forPerson}`
  }
}
