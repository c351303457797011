// What a picture's first bytes say of it, for the three kinds that every browser and mail program shows. Enough to refuse what is
// no picture, and what is small to send and huge to show; that its pixels are whole, only showing it tells.

import type { Logo } from './look.ts'

export interface Picture {
  readonly type: Logo['type']
  readonly width: number
  readonly height: number
}

/** Null: none of these kinds. */
export function pictureIn(bytes: Uint8Array): Picture | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    return pngIn(view) ?? jpegIn(view) ?? webpIn(view)
  } catch (error) {
    if (error instanceof RangeError) return null // it ends before it has said what it is
    throw error
  }
}

function pngIn(view: DataView): Picture | null {
  if (!says(view, 0, '\x89PNG\r\n\x1a\n') || !says(view, 12, 'IHDR')) return null
  return { type: 'image/png', width: view.getUint32(16), height: view.getUint32(20) }
}

/** A chain of segments, each with its length; a frame header among them has the size. */
function jpegIn(view: DataView): Picture | null {
  if (!says(view, 0, '\xff\xd8\xff')) return null
  let at = 2
  while (view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1)
    if (isFrameHeader(marker)) {
      return { type: 'image/jpeg', width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    }
    const isPadding = marker === 0xff
    at += isPadding ? 1 : 2 + view.getUint16(at + 2)
  }
  return null
}

/** SOF0 to SOF15, but for the three that are tables. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
}

function webpIn(view: DataView): Picture | null {
  if (!says(view, 0, 'RIFF') || !says(view, 8, 'WEBP')) return null
  const type = 'image/webp'
  if (says(view, 12, 'VP8 ') && says(view, 23, '\x9d\x01\x2a')) {
    return { type, width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  }
  if (says(view, 12, 'VP8L') && view.getUint8(20) === 0x2f) {
    const bits = view.getUint32(21, true)
    return { type, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  if (!says(view, 12, 'VP8X')) return null
  const uint24 = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
  return { type, width: uint24(24) + 1, height: uint24(27) + 1 }
}

function says(view: DataView, at: number, text: string): boolean {
  if (view.byteLength < at + text.length) return false
  return [...text].every((character, index) => view.getUint8(at + index) === character.charCodeAt(0))
}
