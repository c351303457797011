// What books promise, wherever they are kept.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { OperationId, TransactionId } from '../../../src/core/ids.ts'
import type { Currency } from '../../../src/core/money.ts'
import type { Draft, Entry, SandboxBooks, VaultCard } from '../../../src/gateways/sandbox/books.ts'

const newId = (): OperationId => randomUUID() as OperationId

function entry(rootId: OperationId, more: Partial<Entry> = {}): Entry {
  return {
    rootId,
    operationId: rootId,
    seq: 0,
    step: 'succeeded',
    transactionId: randomUUID() as TransactionId,
    kind: 'charge',
    capture: true,
    cardRef: 'card_1',
    // More than a float can hold: amounts must come back as the integers they are.
    askedMinor: 9_007_199_254_740_993n,
    bookedMinor: 1n,
    currency: 'EUR' as Currency,
    code: null,
    ...more,
  }
}

const card: VaultCard = {
  cardRef: 'card_1',
  behaviour: 'three_d_secure',
  mask: '6006',
  type: 'visa',
  expiryMonth: 12,
  expiryYear: 2042,
  fingerprint: 'f'.repeat(64),
}

const read = (entries: readonly Entry[]): Draft<readonly Entry[]> => ({ append: [], result: entries })
const append =
  (...entries: Entry[]) =>
  (): Draft<null> => ({ append: entries, result: null })

/** `open` gives books that need not be empty: every test uses accounts of its own. */
export function sandboxBooksConformance(name: string, open: () => Promise<SandboxBooks>): void {
  keepsEntries(name, open)
  keepsApart(name, open)
  keepsCards(name, open)
}

function keepsEntries(name: string, open: () => Promise<SandboxBooks>): void {
  test(`${name}: entries come back as written, in order`, async () => {
    const books = await open()
    const account = randomUUID()
    const root = newId()
    const first = entry(root, { step: 'waiting', cardRef: null })
    const written = [first, { ...first, seq: 1, step: 'passed' as const }]
    const refused = entry(root, { operationId: newId(), kind: 'refund', step: 'declined', code: 'amount_too_large' })
    for (const one of [...written, refused]) await books.transact(account, root, append(one))
    const all = [...written, refused]
    assert.deepEqual(await books.transact(account, root, read), { kind: 'written', result: all })
    assert.deepEqual(await books.entries(account), all)
  })

  test(`${name}: nobody writes between another's reading and writing`, async () => {
    const books = await open()
    const account = randomUUID()
    const root = newId()
    const once = (entries: readonly Entry[]): Draft<boolean> => {
      const isFirst = entries.length === 0
      return { append: isFirst ? [entry(root)] : [], result: isFirst }
    }
    const done = await Promise.all(Array.from({ length: 20 }, () => books.transact(account, root, once)))
    assert.equal(done.filter(one => one.kind === 'written' && one.result).length, 1)
    assert.equal((await books.entries(account)).length, 1)
  })

  test(`${name}: when the work throws, nothing is written, and the root is free again`, async () => {
    const books = await open()
    const account = randomUUID()
    const root = newId()
    const broken = (): never => {
      throw new RangeError('a bug')
    }
    await assert.rejects(books.transact(account, root, broken), RangeError)
    assert.deepEqual(await books.transact(account, root, read), { kind: 'written', result: [] })
  })
}

function keepsApart(name: string, open: () => Promise<SandboxBooks>): void {
  test(`${name}: an operation id belongs to one root of its account`, async () => {
    const books = await open()
    const account = randomUUID()
    const [root, other, id] = [newId(), newId(), newId()]
    await books.transact(account, root, append(entry(root, { operationId: id })))
    const both = append(entry(other), entry(other, { operationId: id }))
    assert.deepEqual(await books.transact(account, other, both), { kind: 'taken' })
    // All or nothing: the entry that was free is not written either.
    assert.equal((await books.entries(account)).length, 1)
  })

  test(`${name}: accounts do not see each other`, async () => {
    const books = await open()
    const [account, other] = [randomUUID(), randomUUID()]
    const root = newId()
    await books.transact(account, root, append(entry(root)))
    await books.putCard(account, card)
    assert.deepEqual(await books.entries(other), [])
    assert.equal(await books.card(other, card.cardRef), null)
    const written = await books.transact(other, root, append(entry(root)))
    assert.equal(written.kind, 'written')
  })
}

function keepsCards(name: string, open: () => Promise<SandboxBooks>): void {
  test(`${name}: a card comes back as put, until it is removed`, async () => {
    const books = await open()
    const account = randomUUID()
    await books.putCard(account, card)
    assert.deepEqual(await books.card(account, card.cardRef), card)
    await books.removeCard(account, card.cardRef)
    await books.removeCard(account, card.cardRef)
    assert.equal(await books.card(account, card.cardRef), null)
  })
}
