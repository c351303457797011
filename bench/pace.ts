// The machine's own pace: a fixed piece of work, timed while nothing of ours runs. On a host that others share it can take twice as long from one
// second to the next, and whoever reads a result should know whether it did.

import { quantile } from './result.ts'

export interface Pace {
  /** A moment of it, some 50 ms. */
  sample(): void
  /** What a piece took. */
  pieceMs(): { readonly fastest: number; readonly median: number; readonly slowest: number }
}

const piecesOfSample = 25
const stepsOfPiece = 500_000
/** V8 compiles it meanwhile. */
const warmUpPieces = 50

export function openPace(): Pace {
  const took: number[] = []
  for (let count = 0; count < warmUpPieces; count++) pieceOfWork()
  return {
    sample() {
      for (let count = 0; count < piecesOfSample; count++) took.push(pieceOfWork())
    },
    pieceMs: () => ({ fastest: at(took, 0), median: at(took, 0.5), slowest: at(took, 1) }),
  }
}

function at(took: readonly number[], q: number): number {
  return Number(quantile(took, q).toFixed(2))
}

const cells = new Uint32Array(4_096)

function pieceOfWork(): number {
  const startedMs = performance.now()
  for (let step = 0; step < stepsOfPiece; step++) {
    cells[step % cells.length] = (cells[(7 * step) % cells.length] ?? 0) + step
  }
  return performance.now() - startedMs
}
