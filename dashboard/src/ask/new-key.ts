// Idempotency keys. `crypto.randomUUID` is missing where the dashboard is visited without TLS.

import { useState } from 'react'

export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

/** One key for as long as the part that asks is on the page: a second click repeats, it does not do it twice. */
export function useKey(): string {
  const [key] = useState(newKey)
  return key
}
