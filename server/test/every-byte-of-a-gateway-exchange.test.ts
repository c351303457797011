// Cut, reset, held up and killed at every byte of an exchange with a gateway: the two ledgers agree in the end.

import { test } from 'node:test'
import type { OperationKind } from '../src/core/gateway.ts'
import type { Way } from './support/cutting-proxy.ts'
import { bytesOf, type Case, goThrough } from './support/every-byte.ts'
import { farEnds } from './support/far-ends.ts'

const faults = ['cut', 'hold', 'die', 'reset'] as const
/** EVERY_FAULT=1: each byte fails in each way, of every kind of operation, which takes seven minutes. */
const everyFault = process.env.EVERY_FAULT === '1'
/** What follows a charge goes the same way through the same code: fewer bytes do. */
const strideOf = (kind: OperationKind): number => (kind === 'charge' || everyFault ? 1 : 23)

/** Neighbouring bytes fail in different ways. */
function casesOf(kind: OperationKind, way: Way, bytes: number): Case[] {
  const cases: Case[] = []
  for (let atByte = 0; atByte < bytes; atByte += strideOf(kind)) {
    const chosen = everyFault ? faults : [faults[Math.floor(cases.length / 2) % faults.length] ?? 'cut']
    cases.push(...chosen.map(fault => ({ kind, way, atByte, fault })))
  }
  return cases
}

for (const [name, open] of Object.entries(farEnds)) {
  for (const kind of ['charge', 'refund', 'capture', 'void'] as const) {
    test(`${name}: ${kind}`, async t => {
      const { request, answer } = await bytesOf(open, kind)
      const cases = [...casesOf(kind, 'request', request), ...casesOf(kind, 'answer', answer)]
      t.diagnostic(`${request} bytes there, ${answer} back, ${cases.length} exchanges`)
      await goThrough(open, cases)
    })
  }
}
