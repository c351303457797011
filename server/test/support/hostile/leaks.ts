// What no stranger may read in an answer, whatever they sent.

import assert from 'node:assert/strict'

const insides =
  /\bat .+\.[cm]?[jt]s\b|node_modules|file:\/\/|postgres|\bselect\b.+\bfrom\b|\binsert into\b|violates|constraint|\bundefined\b|\[object |Error:|ECONN|\bNaN\b|sk_[A-Za-z0-9_-]{8}|whsec_/i

/** `secrets`: what belongs to others. */
export function nothingLeaks(answer: string, secrets: readonly string[] = []): void {
  const found = insides.exec(answer)?.[0] ?? null
  assert.equal(found, null, `it shows ${found}: ${answer.slice(0, 500)}`)
  for (const secret of secrets) assert.ok(!answer.includes(secret), `it shows ${secret}: ${answer.slice(0, 500)}`)
}
