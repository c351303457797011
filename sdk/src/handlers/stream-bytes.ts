// The body of one of Node's requests, as it comes.

import { TooLargeError } from '../hook-errors.ts'
import { hookBytesMax } from '../parse-hook.ts'
import { GatheredBytes } from './gathered-bytes.ts'

export interface NodeStream {
  on(event: 'data', listener: (piece: Uint8Array | string) => void): unknown
  on(event: 'end' | 'close', listener: () => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
}

export function bytesOf(request: NodeStream): Promise<Uint8Array> {
  const whole = new GatheredBytes(hookBytesMax)
  return new Promise((resolve, reject) => {
    // Goes on reading what is too much, and drops it: a connection that is cut would keep the answer from arriving.
    request.on('data', piece => {
      const bytes = typeof piece === 'string' ? new TextEncoder().encode(piece) : piece
      if (!whole.add(bytes)) reject(new TooLargeError(hookBytesMax))
    })
    request.on('end', () => resolve(whole.bytes()))
    request.on('error', reject)
    // Not every runtime that has this interface says `error` first.
    request.on('close', () => reject(new Error('The connection was closed before the body was there.')))
  })
}
