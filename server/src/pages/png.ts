// A picture of black and white squares as a PNG (RFC 2083): one bit per pixel, and eight pixels to a side of a square, so that
// a square's row of pixels is one byte.

import { crc32, deflateSync } from 'node:zlib'

export const pixelsPerSquare = 8

const signature = Buffer.from('89504e470d0a1a0a', 'hex')
const gray = 0
const unfiltered = 0

/** `squares`: rows of as many each; true is black. */
export function pngOf(squares: readonly (readonly boolean[])[]): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE((squares[0]?.length ?? 0) * pixelsPerSquare, 0)
  header.writeUInt32BE(squares.length * pixelsPerSquare, 4)
  header[8] = 1 // bits per pixel
  header[9] = gray
  const lines = squares.flatMap(row => {
    const line = Buffer.from([unfiltered, ...row.map(isBlack => (isBlack ? 0x00 : 0xff))])
    return Array<Buffer>(pixelsPerSquare).fill(line)
  })
  const parts = [part('IHDR', header), part('IDAT', deflateSync(Buffer.concat(lines))), part('IEND', Buffer.alloc(0))]
  return Buffer.concat([signature, ...parts])
}

function part(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  return Buffer.concat([uint32(data.length), named, uint32(crc32(named))])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
