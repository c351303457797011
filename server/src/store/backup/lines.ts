// A stream of bytes as lines of JSON, and between them rows that are passed on many at a time, at most some of them in memory.

import { createHash } from 'node:crypto'
import { cut, DamagedBackupError, damaged, endOfRows, rowsIn } from './parts.ts'

/** No line of JSON of ours is longer: what is, is something else. */
const lineMax = 64 * 1024

export interface Lines {
  /** A line of JSON, and the SHA-256 of all that was before it. */
  next(): Promise<{ readonly value: { readonly [name: string]: unknown }; readonly sha256Before: Buffer }>
  /** Up to the line that ends them, which is read too. */
  rows(): AsyncIterable<{ readonly some: Buffer; readonly rowCount: number }>
  isOver(): Promise<boolean>
}

export function linesOf(source: AsyncIterable<Buffer>): Lines {
  const chunks = source[Symbol.asyncIterator]()
  const sha256 = createHash('sha256')
  let rest: Buffer = Buffer.alloc(0)

  const more = async (): Promise<boolean> => {
    const { value, done } = await chunks.next()
    if (done !== true) rest = rest.length === 0 ? value : Buffer.concat([rest, value])
    return done !== true
  }
  const take = (length: number): Buffer => {
    const taken = rest.subarray(0, length)
    rest = rest.subarray(length)
    return taken
  }

  return {
    async next() {
      while (!rest.includes(10)) {
        if (rest.length > lineMax) throw new DamagedBackupError(damaged)
        if (!(await more())) throw new DamagedBackupError(cut)
      }
      const line = take(rest.indexOf(10) + 1)
      const sha256Before = sha256.copy().digest()
      sha256.update(line)
      return { value: parsed(line), sha256Before }
    },
    async *rows() {
      for (;;) {
        const { length, isEnd } = wholeRows(rest)
        if (length > 0) {
          const some = take(length)
          sha256.update(some)
          yield { some, rowCount: rowsIn(some) }
        }
        if (isEnd) return void sha256.update(take(endOfRows.length))
        if (!(await more())) throw new DamagedBackupError(cut)
      }
    },
    async isOver() {
      return rest.length === 0 && !(await more())
    },
  }
}

const endAfterRow = Buffer.concat([Buffer.from('\n'), endOfRows])

/** How much of it are whole rows, and whether the line that ends them follows. It begins where a line does. */
function wholeRows(bytes: Buffer): { readonly length: number; readonly isEnd: boolean } {
  if (bytes.subarray(0, endOfRows.length).equals(endOfRows)) return { length: 0, isEnd: true }
  const at = bytes.indexOf(endAfterRow)
  return at === -1 ? { length: bytes.lastIndexOf(10) + 1, isEnd: false } : { length: at + 1, isEnd: true }
}

function parsed(line: Buffer): { readonly [name: string]: unknown } {
  try {
    const value = JSON.parse(line.toString('utf8'))
    if (typeof value === 'object' && value !== null) return value
  } catch {}
  throw new DamagedBackupError(damaged)
}
