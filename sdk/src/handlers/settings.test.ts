import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { samples, signHook } from '../testing/index.ts'
import { hookHandler } from './fetch.ts'

const privateKey = 'OK4M40Bp5NhPJagGRXB9x1dI58ujH1mvhjF526jkqYs='
const done = async () => {}
const settings = { privateKey, on: { pre_sale: () => true, transaction: done }, onError: () => {} }
const at = (path: string) => `http://shop.example${path}`

describe('settings', () => {
  test('with one callback say the kind where the path does not', async () => {
    const paid = hookHandler({ privateKey, on: { transaction: done } })
    assert.equal((await paid(new Request(at('/paid'), signHook(samples.transaction, privateKey)))).status, 200)
    const generic = hookHandler({ privateKey, on: { far_or_error: done } })
    assert.equal((await generic(new Request(at('/'), signHook(samples.error, privateKey)))).status, 200)
    assert.equal((await generic(new Request(at('/'), signHook(samples.transaction, privateKey)))).status, 200)
  })

  test('with one callback take nothing at a path that names another kind', async () => {
    const callbacks = { pre_sale: samples.pre_sale, far: samples.far, error: samples.error, update: samples.update }
    for (const [only, own] of Object.entries({ ...callbacks, transaction: samples.transaction })) {
      const seen: unknown[] = []
      const handler = hookHandler({ ...settings, on: { [only]: (hook: unknown) => seen.push(hook) > 0 } })
      const ask = (path: string, hook: object) => handler(new Request(at(path), signHook(hook as never, privateKey)))
      for (const [other, sent] of Object.entries(callbacks).filter(([other]) => other !== only)) {
        const response = await ask(`/hooks/${other}`, sent)
        const { message } = (await response.json()) as { message: string }
        assert.deepEqual([response.status, seen.length], [404, 0], `${other} for ${only}`)
        assert.match(message, new RegExp(`no callback for ${other}\\b.*\\bkind\\b.*one of ${only}\\b`))
      }
      for (const path of [`/hooks/${only}`, '/hooks', '/']) assert.equal((await ask(path, own)).status, 200, path)
      assert.equal(seen.length, 3)
    }
  })

  test('with one callback believe the route of FAR and Error, and not their type', async () => {
    const seen: unknown[] = []
    const handler = hookHandler({ ...settings, on: { error: ({ kind, route }) => seen.push([kind, route]) } })
    const ask = (path: string, of: 'far' | 'error') => handler(new Request(at(path), signHook(samples[of], privateKey)))
    assert.equal((await ask('/hooks/far', 'error')).status, 404)
    assert.equal((await ask('/hooks/error', 'far')).status, 200)
    assert.deepEqual(seen, [['error', 'error']])
  })

  test('on a generic route fail for want of far_or_error where callbacks for FAR or Error alone would lose them', async () => {
    const failed: unknown[] = []
    const on = { transaction: done, far: done, error: done }
    const handle = hookHandler({ privateKey, on, onError: error => failed.push(error) })
    const told = await handle(new Request(at('/generic'), signHook(samples.error, privateKey)))
    assert.equal(told.status, 500)
    assert.match(String(failed[0]), /on\.far_or_error, which is missing/)
    assert.equal((await handle(new Request(at('/error'), signHook(samples.error, privateKey)))).status, 200)
  })

  test('with one callback have it on a generic route too, if that brings what it is for', async () => {
    const handlers = [
      { on: { transaction: done }, path: '/generic', status: 200 },
      { on: { far_or_error: done }, path: '/generic', status: 200 },
      { on: { far_or_error: done }, path: '/error', status: 404 },
      { on: { error: done }, path: '/generic', status: 404 },
    ]
    for (const { on, path, status } of handlers) {
      const response = await hookHandler({ ...settings, on })(
        new Request(at(path), signHook(samples.error, privateKey)),
      )
      assert.equal(response.status, status, `${Object.keys(on)} at ${path}`)
    }
  })

  test('that say the kind overrule a path that means something else', async () => {
    const handler = hookHandler({ ...settings, kind: 'transaction', on: { transaction: done } })
    const response = await handler(new Request(at('/stock/update'), signHook(samples.transaction, privateKey)))
    assert.equal(response.status, 200)
  })

  test('know a kind in another spelling', async () => {
    const handler = hookHandler({ ...settings, on: { pre_sale: () => true, error: done } })
    for (const path of ['/presale', '/Pre-Sale', '/PRE_SALE']) {
      assert.equal((await handler(new Request(at(path), signHook(samples.pre_sale, privateKey)))).status, 200, path)
    }
    const only = hookHandler({ ...settings, on: { error: done } })
    assert.equal((await only(new Request(at('/FAR'), signHook(samples.far, privateKey)))).status, 404)
  })

  test('take the kind from the end of the path, whatever follows it', async () => {
    const handler = hookHandler(settings)
    for (const path of ['/a/b/transaction?x=/far', '/transaction/', '/transaction#x']) {
      assert.equal((await handler(new Request(at(path), signHook(samples.transaction, privateKey)))).status, 200, path)
    }
  })

  test('that cannot work throw at once, with a sentence', () => {
    const refused = (more: object, says: RegExp) => {
      assert.throws(() => hookHandler({ ...settings, ...more }), { name: 'TypeError', message: says })
    }
    refused({ privateKey: undefined }, /no Private Key.*environment variable/)
    refused({ on: {} }, /at least one/)
    refused({ on: undefined }, /on must be an object of callbacks/)
    refused({ on: { transactions: done } }, /on\.transactions is no callback.*transaction, far, error/)
    refused({ on: { transaction: done, generic: done } }, /on\.generic is no callback.*far_or_error/)
    refused({ on: { toString: done } }, /on\.toString is no callback/)
    refused({ on: { transaction: 'ship' } }, /on\.transaction must be a function/)
    refused({ on: { transaction: done, far: null } }, /on\.far must be a function/)
    refused({ kind: 'presale', on: { pre_sale: () => true } }, /kind must be one of pre_sale, .*generic/)
    refused({ kind: null }, /kind must be one of/)
    refused({ onError: 'log' }, /onError must be a function/)
    refused({ kind: 'generic', on: { transaction: done, far: done } }, /on\.far would never be called.*far_or_error/)
    refused({ kind: 'pre_sale', on: { transaction: done } }, /on\.transaction would never be called/)
  })

  test('may leave a callback undefined', async () => {
    const handler = hookHandler({ ...settings, on: { transaction: done, far: undefined as never } })
    assert.equal((await handler(new Request(at('/paid'), signHook(samples.transaction, privateKey)))).status, 200)
  })

  test('with a log that fails still answer what is to be answered', async context => {
    const told = context.mock.method(console, 'error', () => {})
    const full = () => new Error('the log is full')
    const failing = [
      () => {
        throw full()
      },
      () => Promise.reject(full()),
      // biome-ignore lint/suspicious/noThenProperty: a promise of a library's own
      () => ({ then: (_: unknown, reject: (error: Error) => void) => reject(full()) }),
    ]
    for (const [index, onError] of failing.entries()) {
      const handler = hookHandler({ ...settings, onError })
      const response = await handler(new Request(at('/transaction'), signHook(samples.transaction, 'another key')))
      await new Promise(resolve => setImmediate(resolve))
      assert.deepEqual([response.status, told.mock.callCount()], [403, index + 1])
    }
  })

  test('without a log tell the console, of what is no bug the sentence alone', async context => {
    const told = context.mock.method(console, 'error', () => {})
    const { onError: _, ...silent } = settings
    const fails = () => Promise.reject(new Error('no such customer'))
    const handler = hookHandler({ ...silent, on: { transaction: fails } })
    for (const key of ['another key', privateKey])
      await handler(new Request(at('/'), signHook(samples.transaction, key)))
    const [refused, failed] = told.mock.calls.map(({ arguments: [said] }) => said)
    assert.match(String(refused), /^BadSignatureError: The signature does not verify\./)
    assert.ok(failed instanceof Error, 'with its stack')
  })

  test('may give the key later, and without one nothing is believed', async () => {
    let later: string | undefined
    const handler = hookHandler({ ...settings, privateKey: () => later })
    const ask = () => handler(new Request(at('/transaction'), signHook(samples.transaction, privateKey)))
    assert.equal((await ask()).status, 500)
    later = privateKey
    assert.equal((await ask()).status, 200)
  })
})
