// Bytes, wherever they were made. Test runners and edge runtimes run code in a realm of its own, whose Uint8Array is another class than that of
// the bytes they are handed: so no `instanceof`.

export function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === '[object Uint8Array]'
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((count, part) => count + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
