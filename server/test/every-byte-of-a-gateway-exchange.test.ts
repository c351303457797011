// Cut, reset, held up and killed at every byte of an exchange with a gateway: the two ledgers agree in the end.

import { test } from 'node:test'
import type { OperationKind } from '../src/core/gateway.ts'
import type { Counted, Way } from './support/cutting-proxy.ts'
import { type Case, goThrough, measured } from './support/every-byte.ts'
import { farEnds } from './support/far-ends.ts'
import { isLongRun } from './support/repetitions.ts'

const faults = ['cut', 'hold', 'die', 'reset'] as const

/**
 * Half a body is as good as another half: within heads and bodies every eleventh byte does. Near their ends each is tried, and
 * right there in each way. What follows a charge goes the same way through the same code. Our own gateway, which is
 * fast, is cut at each byte of a charge.
 */
const strides = { charge: 11, refund: 31, capture: 31, void: 31 } as const
const nearBytes = 16

/** How this byte fails; neighbouring ones that are tried fail in different ways. */
function faultsAt(name: string, kind: OperationKind, atByte: number, tried: number, counted: Counted): Case['fault'][] {
  const distance = Math.min(...[0, ...counted.headEnds, counted.bytes].map(end => Math.abs(atByte - end)))
  // In the long run each byte fails in each way, of every kind of operation.
  if (isLongRun || (kind === 'charge' && distance <= 1)) return [...faults]
  const isNear = distance <= nearBytes || name === 'the sandbox over HTTP'
  const isTried = atByte % strides[kind] === 0 || (kind === 'charge' && isNear)
  return isTried ? [faults[Math.floor(tried / 2) % faults.length] ?? 'cut'] : []
}

function casesOf(name: string, kind: OperationKind, way: Way, counted: Counted): Case[] {
  const cases: Case[] = []
  for (let atByte = 0; atByte < counted.bytes; atByte += 1) {
    for (const fault of faultsAt(name, kind, atByte, cases.length, counted)) cases.push({ kind, way, atByte, fault })
  }
  return cases
}

for (const [name, open] of Object.entries(farEnds)) {
  for (const kind of ['charge', 'refund', 'capture', 'void'] as const) {
    test(`${name}: ${kind}`, async t => {
      const { request, answer } = await measured(open, kind)
      const cases = [...casesOf(name, kind, 'request', request), ...casesOf(name, kind, 'answer', answer)]
      t.diagnostic(`${request.bytes} bytes there, ${answer.bytes} back, ${cases.length} exchanges`)
      await goThrough(open, cases)
    })
  }
}
