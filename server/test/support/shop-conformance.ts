// What every example of a shop does with hooks, whatever it is written in.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { hookBody } from '@tillbell/sdk'
import { nilUuid } from '../../src/core/test-details.ts'
import {
  authorizedHook,
  capturedHook,
  failedHook,
  farHook,
  forgeriesOf,
  hard,
  nextPrivateKey,
  preSaleHook,
  privateKey,
  type ShopHook,
  signedWithoutKey,
  soldHook,
  testHook,
} from './shop-hooks.ts'

export interface ShopRequest {
  readonly method?: 'GET' | 'POST'
  readonly path: string
  readonly body: string
  /** As its environment has them. */
  readonly privateKeys: string
}

export interface ShopOrder {
  readonly id: string
  readonly item: string
  readonly quantity: number
  readonly amount: string
  readonly email: string
}

export interface Shop {
  /** Answers the status. */
  ask(request: ShopRequest): Promise<number>
  orders(): Promise<readonly ShopOrder[]>
}

export function shopConformance(name: string, open: () => Promise<Shop>): void {
  describe(name, () => {
    let shop: Shop
    before(async () => {
      shop = await open()
    })
    const ask = (kind: string, body: string, privateKeys = privateKey) =>
      shop.ask({ path: `/hooks/${kind}`, body, privateKeys })
    const tell = ({ kind, details }: ShopHook) => ask(kind, hookBody(details, privateKey))
    const ordersOf = async (id: string) => (await shop.orders()).filter(order => order.id === id)

    test('a sale is one order, however often it is told', async () => {
      const [id, other] = [randomUUID(), randomUUID()]
      for (let time = 1; time <= 3; time += 1) assert.equal(await tell(soldHook(id, 2)), 200)
      assert.equal(await tell(soldHook(other)), 200)
      const email = 'ada@example.com'
      assert.deepEqual(await ordersOf(id), [{ id, item: hard, quantity: 2, amount: '200.00', email }])
      assert.equal((await ordersOf(other)).length, 1)
    })

    test('an authorisation is no order, its capture is', async () => {
      const id = randomUUID()
      assert.equal(await tell(authorizedHook(id)), 200)
      assert.equal((await ordersOf(id)).length, 0)
      assert.equal(await tell(capturedHook(id)), 200)
      assert.equal((await ordersOf(id)).length, 1)
    })

    test('for a test, an error and a further action nothing is shipped', async () => {
      const [failing, acting] = [randomUUID(), randomUUID()]
      for (const hook of [testHook, failedHook(failing), farHook(acting)]) assert.equal(await tell(hook), 200)
      for (const id of [nilUuid, failing, acting]) assert.equal((await ordersOf(id)).length, 0)
    })

    test('more than five at once are not sold', async () => {
      assert.equal(await tell(preSaleHook(randomUUID(), 5)), 200)
      assert.equal(await tell(preSaleHook(randomUUID(), 6)), 409)
    })

    test('nothing is believed that does not verify', async () => {
      const id = randomUUID()
      const isRefused = async (kind: string, body: string) => {
        const status = await ask(kind, body)
        assert.ok(status === 400 || status === 403, `${status} for ${body}`)
      }
      for (const hook of [soldHook(id), preSaleHook(id)]) {
        for (const body of forgeriesOf(hook)) await isRefused(hook.kind, body)
      }
      assert.equal((await ordersOf(id)).length, 0)
    })

    test('where no key is set, nothing is believed', async () => {
      const id = randomUUID()
      // Anybody can sign with the empty key. A shop may also refuse to start.
      const status = await ask('transaction', signedWithoutKey(soldHook(id).details), '').catch(() => 500)
      assert.ok(status === 403 || status === 500, `${status}`)
      assert.equal((await ordersOf(id)).length, 0)
    })

    test('a Pre-Sale at the wrong URL is no payment', async () => {
      const id = randomUUID()
      assert.equal(await tell({ ...preSaleHook(id), kind: 'transaction' }), 400)
      assert.equal(await tell({ ...soldHook(id), kind: 'pre_sale' }), 400)
      assert.equal((await ordersOf(id)).length, 0)
    })

    test('FAR and Error come with the type of the other as well', async () => {
      assert.equal(await tell({ ...failedHook(randomUUID()), kind: 'far' }), 200)
      assert.equal(await tell({ ...farHook(randomUUID()), kind: 'error' }), 200)
    })

    test('while keys are rotated, either may have signed', async () => {
      const id = randomUUID()
      const body = hookBody(soldHook(id).details, nextPrivateKey)
      assert.equal(await ask('transaction', body, `${privateKey} ${nextPrivateKey}`), 200)
      assert.equal((await ordersOf(id)).length, 1)
    })

    test('there is nothing else', async () => {
      const body = hookBody(soldHook(randomUUID()).details, privateKey)
      for (const path of ['/hooks/update', '/hooks/transaction/', '/', '/hooks/../x']) {
        assert.equal(await shop.ask({ path, body, privateKeys: privateKey }), 404)
      }
      const status = await shop.ask({ method: 'GET', path: '/hooks/transaction', body: '', privateKeys: privateKey })
      assert.ok(status === 404 || status === 405)
    })
  })
}
