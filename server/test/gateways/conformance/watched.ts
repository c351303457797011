// Everything that an adapter says while it is tested, gone through for what must not stand there.

import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import type { Gateway } from '../../../src/core/gateway.ts'
import type { ConformanceBench } from './bench.ts'

export interface Watched {
  readonly gateway: Gateway
  /** One line for each exchange, as the adapter noted it. */
  readonly notes: readonly string[]
  /** Fails where an outcome or a note has a card number, or a secret of the account. */
  nothingLeaked(): void
}

/** The same gateway; whatever it answers and notes is remembered. */
export function watch({ gateway, cards, secrets = [] }: ConformanceBench): Watched {
  const said: unknown[] = []
  const notes: string[] = []
  const remember = async <Said>(saying: Promise<Said>): Promise<Said> => {
    const outcome = await saying
    said.push(outcome)
    return outcome
  }
  const note = (line: string) => void notes.push(line)
  const numbers = Object.values(cards).flatMap(card => (card !== null && 'number' in card ? [card.number] : []))
  return {
    gateway: {
      ...gateway,
      send: (request, signal) => remember(gateway.send(request, signal, note)),
      lookup: (request, signal) => remember(gateway.lookup(request, signal, note)),
      listUnderId:
        gateway.listUnderId === null
          ? null
          : (request, signal) => remember(gateway.listUnderId?.(request, signal, note) ?? assert.fail()),
      fence: (request, signal) => remember(gateway.fence(request, signal, note)),
      storeCard: (card, signal) => remember(gateway.storeCard(card, signal)),
      describeCard: (cardRef, signal) => remember(gateway.describeCard(cardRef, signal)),
      removeCard: (cardRef, signal) => remember(gateway.removeCard(cardRef, signal)),
      removeOwnCard: (cardRef, signal) => remember(gateway.removeOwnCard(cardRef, signal)),
    },
    notes,
    nothingLeaked() {
      const all = [...said.map(each => inspect(each, { depth: null })), ...notes]
      for (const text of all) {
        for (const number of numbers)
          assert.ok(!text.includes(number), `a card number stands in: ${text.replaceAll(number, '…')}`)
        for (const secret of secrets)
          assert.ok(!text.includes(secret), `a secret stands in: ${text.replaceAll(secret, '…')}`)
      }
      for (const line of notes)
        assert.ok(!line.includes('\n') && line.length <= 500, `a note is one short line: ${line}`)
    },
  }
}
