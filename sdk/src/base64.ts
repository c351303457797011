// Base64 without Node's Buffer, which edge runtimes do not have.

/** Characters at a time: a call takes only so many arguments. */
const chunkBytes = 4_096

export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    binary += String.fromCharCode(...bytes.subarray(at, at + chunkBytes))
  }
  return btoa(binary)
}

/** Null: this is not base64. */
export function fromBase64(text: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(text), char => char.charCodeAt(0))
  } catch {
    return null
  }
}
