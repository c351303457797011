// Promises about cards: what comes back says which card it is to its owner, and to nobody else.

import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { chargeWith, inTime, mustSucceed, type Promised, secretOf, shownOf } from './bench.ts'

export function keepsCardsToItself(promised: Promised): void {
  promised('a stored card shows its last four digits and no more', [], async ({ gateway, cards }) => {
    const card = cards.succeeding
    const stored = await gateway.storeCard(card, inTime())
    assert.equal(stored.kind, 'stored')
    const { mask, expiryMonth, expiryYear } = stored
    assert.deepEqual({ mask, expiryMonth, expiryYear }, shownOf(card))
    if ('number' in card) assert.ok(!inspect(stored).includes(card.number))
    assert.deepEqual(await gateway.describeCard(stored.cardRef, inTime()), stored)
  })

  promised('the same card stored twice has one fingerprint, another card another', [], async ({ gateway, cards }) => {
    const [first, again, other] = await Promise.all(
      [cards.succeeding, cards.succeeding, cards.declined].map(card => gateway.storeCard(card, inTime())),
    )
    assert.ok(first?.kind === 'stored' && again?.kind === 'stored' && other?.kind === 'stored')
    assert.equal(first.fingerprint, again.fingerprint)
    assert.notEqual(first.fingerprint, other.fingerprint)
  })

  promised('a number that is refused appears in no answer', [], async ({ gateway, cards }) => {
    const refused = await gateway.storeCard(cards.refused, inTime())
    assert.equal(refused.kind, 'refused')
    assert.match(refused.sentence, /\S/)
    assert.ok(!inspect(refused).includes(secretOf(cards.refused)))
  })

  promised('a removed card charges nothing, and is removed as often as one likes', [], async ({ gateway, cards }) => {
    const charge = await chargeWith(gateway, cards.succeeding)
    assert.equal((await gateway.removeCard(charge.cardRef, inTime())).kind, 'removed')
    assert.equal((await gateway.removeCard(charge.cardRef, inTime())).kind, 'removed')
    const outcome = await gateway.send(charge, inTime())
    assert.ok(outcome.kind === 'declined' || outcome.kind === 'not_sent', outcome.kind)
  })

  promised(
    'a card in the vault is not taken from a page, by whatever name',
    [],
    async ({ gateway, cards, namesOf }) => {
      const charge = await chargeWith(gateway, cards.succeeding)
      const stored = await gateway.describeCard(charge.cardRef, inTime())
      for (const fieldsToken of [charge.cardRef, ...namesOf(charge.cardRef)]) {
        const outcome = await gateway.storeCard({ fieldsToken }, inTime())
        assert.equal(outcome.kind, 'refused', fieldsToken)
        assert.ok(!inspect(outcome).includes(fieldsToken))
      }
      assert.deepEqual(await gateway.describeCard(charge.cardRef, inTime()), stored)
      await mustSucceed(gateway, charge)
    },
  )

  const needs = ['cards of the merchant'] as const
  promised('a card that the merchant had there is removed only for the merchant', needs, async bench => {
    const { gateway, cardOfMerchant } = bench
    const stored = await gateway.storeCard({ reference: (await cardOfMerchant?.()) ?? '' }, inTime())
    assert.ok(stored.kind === 'stored')
    assert.deepEqual(await gateway.removeOwnCard(stored.cardRef, inTime()), { kind: 'not_ours' })
    assert.deepEqual(await gateway.describeCard(stored.cardRef, inTime()), stored)
    assert.deepEqual(await gateway.removeCard(stored.cardRef, inTime()), { kind: 'removed' })
    assert.notEqual((await gateway.describeCard(stored.cardRef, inTime())).kind, 'stored')
  })

  promised('a card that was just entered on a page is stored, and removed unasked', ['card fields'], async bench => {
    const { gateway, enteredCard } = bench
    const stored = await gateway.storeCard((await enteredCard?.()) ?? assert.fail(), inTime())
    assert.ok(stored.kind === 'stored')
    assert.deepEqual(await gateway.removeOwnCard(stored.cardRef, inTime()), { kind: 'removed' })
    assert.deepEqual(await gateway.removeOwnCard(stored.cardRef, inTime()), { kind: 'removed' })
    assert.notEqual((await gateway.describeCard(stored.cardRef, inTime())).kind, 'stored')
  })
}
