// Cut, reset, held up and killed at every byte of an exchange with a gateway: the two ledgers agree in the end.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { OperationKind } from '../src/core/gateway.ts'
import { memoryBooks } from '../src/gateways/sandbox/books.ts'
import { openSandboxOverHttp } from '../src/gateways/sandbox/http-adapter.ts'
import { createSandboxServer } from '../src/gateways/sandbox/server.ts'
import { listening } from '../src/gateways/sandbox/strange-peer.ts'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import type { Way } from './support/cutting-proxy.ts'
import { bytesOf, type Case, type FarEnd, goThrough } from './support/every-byte.ts'

async function sandboxOverHttp(t: TestContext): Promise<FarEnd> {
  const books = memoryBooks()
  const server = createSandboxServer({ books, fingerprintKey: Buffer.alloc(32, 7) })
  const url = await listening(server)
  const open = (port: number) => openSandboxOverHttp({ url: `http://127.0.0.1:${port}`, account: 'acct' })
  const port = Number(new URL(url).port)
  const direct = open(port)
  t.after(() => {
    direct.close()
    server.closeAllConnections()
    server.close()
  })
  return {
    port,
    open,
    async card() {
      const stored = await direct.storeCard(testCardThat('success'), AbortSignal.timeout(5_000))
      assert.equal(stored.kind, 'stored')
      return stored.cardRef
    },
    async balanceOf(_, chargeId) {
      const read = await books.transact('acct', chargeId, entries => ({ append: [], result: entries }))
      assert.equal(read.kind, 'written')
      const done = read.result.filter(({ step }) => step === 'succeeded')
      const sum = (kind: OperationKind) =>
        done.filter(entry => entry.kind === kind).reduce((total, { bookedMinor }) => total + bookedMinor, 0n)
      assert.ok(done.filter(({ kind }) => kind === 'charge').length <= 1, 'charged twice')
      if (done.some(({ kind }) => kind === 'void')) return 0n
      return (done.some(({ kind }) => kind === 'capture') ? sum('capture') : sum('charge')) - sum('refund')
    },
  }
}

const farEnds = { 'the sandbox over HTTP': sandboxOverHttp }
const faults = ['cut', 'hold', 'die', 'reset'] as const

/** A charge fails in every way at every byte; what follows it, at every byte in one of them. */
function casesOf(kind: OperationKind, way: Way, bytes: number): Case[] {
  const at = Array.from({ length: bytes }, (_, atByte) => atByte)
  if (kind === 'charge') return at.flatMap(atByte => faults.map(fault => ({ kind, way, atByte, fault })))
  return at.map(atByte => ({ kind, way, atByte, fault: faults[Math.floor(atByte / 2) % faults.length] ?? 'cut' }))
}

for (const [name, open] of Object.entries(farEnds)) {
  test(name, async t => {
    const far = await open(t)
    for (const kind of ['charge', 'refund', 'capture', 'void'] as const) {
      const { request, answer } = await bytesOf(far, kind)
      const cases = [...casesOf(kind, 'request', request), ...casesOf(kind, 'answer', answer)]
      t.diagnostic(`${kind}: ${request} bytes there, ${answer} back, ${cases.length} exchanges`)
      await goThrough(far, cases, 16)
    }
  })
}
