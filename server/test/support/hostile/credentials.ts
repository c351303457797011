// Authorization headers: nobody comes in but with the very key and the very secret.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { authenticator } from '../../../src/api/authenticate.ts'
import type { MerchantId } from '../../../src/core/ids.ts'
import { ApiError } from '../../../src/http/errors.ts'
import { type Chance, pick } from './chance.ts'
import { damaged, shorter } from './damage.ts'
import type { Fuzzed } from './fuzz.ts'
import { nothingLeaks } from './leaks.ts'

const pairs = ['one', 'two'].map((name, index) => ({
  key: `pk_${createHash('sha256').update(`key ${name}`).digest('base64url')}`,
  secret: `sk_${createHash('sha256').update(`secret ${name}`).digest('base64url')}`,
  merchantId: `m_${index}` as MerchantId,
}))
type Pair = (typeof pairs)[number]

const headerSpices = [
  'Basic ',
  'Bearer ',
  'basic\t',
  ' ',
  ',',
  '=',
  '==',
  '\0',
  '\xff',
  ':',
  '+',
  '/',
  '-',
  '_',
  '\r\n',
  'é',
]
const pairSpices = [':', '::', '\0', '\n', 'pk_', 'sk_', '%00', '\xff', ' ', "' or 1=1 --", 'x'.repeat(200)]

function make(chance: Chance): string {
  const [pair, other] = chance(2) === 0 ? pairs : pairs.toReversed()
  if (pair === undefined || other === undefined) throw new Error('no pair')
  const crossed = chance(4) === 0 ? `${pair.key}:${other.secret}` : `${pair.key}:${pair.secret}`
  const inner = chance(2) === 0 ? crossed : damaged(crossed, chance, pairSpices)
  const bytes = Buffer.from(inner, 'latin1')
  const header = `Basic ${bytes.toString(pick(['base64', 'base64', 'base64url'] as const, chance))}`
  return chance(3) === 0 ? header : damaged(header, chance, headerSpices)
}

/** Whom a strict reader finds in it; null: nobody. */
function meantBy(header: string): Pair | null {
  const [scheme = '', encoded = '', ...more] = header.split(/ +/)
  if (scheme.toLowerCase() !== 'basic' || more.length > 0 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(encoded)) return null
  const text = Buffer.from(encoded.replaceAll('-', '+').replaceAll('_', '/'), 'base64').toString('latin1')
  return pairs.find(({ key, secret }) => text === `${key}:${secret}`) ?? null
}

/** A throttle of its own for each case: how often is another promise. */
async function hold(header: string): Promise<string> {
  const used: string[] = []
  const authenticate = authenticator({
    async findApiKey(key) {
      assert.match(key, /^pk_[A-Za-z0-9_-]{1,100}$/, 'nothing else is looked for in the database')
      const found = pairs.find(pair => pair.key === key)
      if (found === undefined) return null
      return { merchantId: found.merchantId, secretSha256: createHash('sha256').update(found.secret).digest() }
    },
    keyUsed: (_, key) => void used.push(key),
  })
  const meant = meantBy(header)
  try {
    const caller = await authenticate({ headers: { authorization: header }, ip: '192.0.2.1' } as FastifyRequest)
    assert.deepEqual([caller.merchantId, caller.name], [meant?.merchantId, meant?.key], 'somebody else came in')
    return 'in'
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    assert.equal(error.status, 401)
    assert.equal(meant, null, 'the right pair is refused')
    assert.deepEqual(used, [])
    nothingLeaks(JSON.stringify(error.errors), [...pairs.flatMap(({ key, secret }) => [key, secret])])
    return 'out'
  }
}

export function open(): Fuzzed<string> {
  return { make, hold, smaller: shorter, shown: header => JSON.stringify(header) }
}
