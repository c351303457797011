// Makes a screenshot small: its few colours go into a palette, and a pixel takes one byte instead of three or four (RFC 2083).

import assert from 'node:assert/strict'
import { crc32, deflateSync, inflateSync } from 'node:zlib'

const signatureBytes = 8
const [truecolour, palette, withAlpha] = [2, 3, 6]

export function withPalette(png: Buffer): Buffer {
  const parts = partsOf(png.subarray(signatureBytes))
  const header = parts.find(({ name }) => name === 'IHDR')?.data ?? assert.fail('not a PNG')
  const [width, height, bits, kind = 0] = [header.readUInt32BE(0), header.readUInt32BE(4), header[8], header[9]]
  assert.ok(bits === 8 && (kind === truecolour || kind === withAlpha) && header[12] === 0, 'not a screenshot')
  const lines = inflateSync(Buffer.concat(parts.filter(({ name }) => name === 'IDAT').map(({ data }) => data)))
  const { colours, indexed } = inFewColours(unfiltered(lines, width, height, kind === withAlpha ? 4 : 3), width)
  const newHeader = Buffer.from(header)
  newHeader[9] = palette
  return Buffer.concat([
    png.subarray(0, signatureBytes),
    part('IHDR', newHeader),
    part('PLTE', Buffer.from(colours.flatMap(colour => [colour >> 16, (colour >> 8) & 0xff, colour & 0xff]))),
    part('IDAT', deflateSync(indexed, { level: 9 })),
    part('IEND', Buffer.alloc(0)),
  ])
}

/** What each filter adds to a byte, from the ones to its left, above it, and above its left. */
const filters: readonly ((left: number, above: number, corner: number) => number)[] = [
  () => 0,
  left => left,
  (_, above) => above,
  (left, above) => (left + above) >> 1,
  (left, above, corner) => {
    const guess = left + above - corner
    const [toLeft, toAbove, toCorner] = [left, above, corner].map(each => Math.abs(guess - each)) as [
      number,
      number,
      number,
    ]
    if (toLeft <= toAbove && toLeft <= toCorner) return left
    return toAbove <= toCorner ? above : corner
  },
]

/** Each pixel as one number, `0xrrggbb`. */
function unfiltered(lines: Buffer, width: number, height: number, pixelBytes: number): number[] {
  const lineBytes = width * pixelBytes
  const bytes = Buffer.alloc(lineBytes * height)
  for (let y = 0; y < height; y++) {
    const filter = filters[lines[y * (lineBytes + 1)] ?? 0] ?? assert.fail('no such filter')
    for (let x = 0; x < lineBytes; x++) {
      const at = y * lineBytes + x
      const left = x < pixelBytes ? 0 : (bytes[at - pixelBytes] ?? 0)
      const above = y === 0 ? 0 : (bytes[at - lineBytes] ?? 0)
      const corner = x < pixelBytes || y === 0 ? 0 : (bytes[at - lineBytes - pixelBytes] ?? 0)
      bytes[at] = (lines[at + y + 1] ?? 0) + filter(left, above, corner)
    }
  }
  return Array.from({ length: width * height }, (_, pixel) => bytes.readUIntBE(pixel * pixelBytes, 3))
}

/** Where there are more than a palette holds, the rarest, at the edges of letters, become their nearest. */
function inFewColours(pixels: readonly number[], width: number): { colours: number[]; indexed: Buffer } {
  const counts = new Map<number, number>()
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1)
  const colours = [...counts.keys()].sort((one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0))
  const kept = colours.slice(0, 256)
  const places = new Map(colours.map(colour => [colour, nearestIn(kept, colour)]))
  const indexed = Buffer.alloc(pixels.length + pixels.length / width)
  for (const [at, pixel] of pixels.entries()) indexed[at + Math.floor(at / width) + 1] = places.get(pixel) ?? 0
  return { colours: kept, indexed }
}

function nearestIn(kept: readonly number[], colour: number): number {
  const isAt = kept.indexOf(colour)
  if (isAt >= 0) return isAt
  const distances = kept.map(each => distance(each, colour))
  return distances.indexOf(Math.min(...distances))
}

function distance(one: number, other: number): number {
  return [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 0xff) - ((other >> shift) & 0xff)) ** 2, 0)
}

function partsOf(bytes: Buffer): { readonly name: string; readonly data: Buffer }[] {
  if (bytes.length === 0) return []
  const length = bytes.readUInt32BE(0)
  const own = { name: bytes.toString('latin1', 4, 8), data: bytes.subarray(8, 8 + length) }
  return [own, ...partsOf(bytes.subarray(12 + length))]
}

function part(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(data.length, 0)
  named.copy(framed, 4)
  framed.writeUInt32BE(crc32(named), named.length + 4)
  return framed
}
