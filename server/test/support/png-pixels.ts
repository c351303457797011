// Reads a PNG as the standard says, as far as ours go: black and white, one bit per pixel, lines without filters.

import assert from 'node:assert/strict'
import { crc32, inflateSync } from 'node:zlib'

export interface Pixels {
  readonly width: number
  readonly height: number
  isBlack(x: number, y: number): boolean
}

export function pixelsOf(png: Buffer): Pixels {
  assert.deepEqual([...png.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const chunks = chunksOf(png.subarray(8))
  assert.deepEqual(
    chunks.map(({ name }) => name),
    ['IHDR', 'IDAT', 'IEND'],
  )
  const [header = Buffer.alloc(0), data = Buffer.alloc(0)] = chunks.map(chunk => chunk.data)
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  assert.deepEqual([...header.subarray(8)], [1, 0, 0, 0, 0], 'one bit, gray, deflated, not interlaced')
  const lines = inflateSync(data)
  const lineBytes = 1 + Math.ceil(width / 8)
  assert.equal(lines.length, height * lineBytes)
  for (let y = 0; y < height; y++) assert.equal(lines[y * lineBytes], 0, 'no filter')
  const bitAt = (x: number, y: number) => ((lines[y * lineBytes + 1 + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1
  return { width, height, isBlack: (x, y) => bitAt(x, y) === 0 }
}

function chunksOf(bytes: Buffer): { readonly name: string; readonly data: Buffer }[] {
  if (bytes.length === 0) return []
  const length = bytes.readUInt32BE(0)
  const named = bytes.subarray(4, 8 + length)
  assert.equal(bytes.readUInt32BE(8 + length), crc32(named))
  return [{ name: named.toString('latin1', 0, 4), data: named.subarray(4) }, ...chunksOf(bytes.subarray(12 + length))]
}
