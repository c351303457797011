// HTTP basic credentials: <API_KEY>:<API_SECRET>. Asked of the database on every request, so that a revocation takes
// effect at once. Wrong pairs are slowed down by address and by key; right ones never wait for somebody's wrong ones.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { networkOf } from '../core/tries.ts'
import type { Caller } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { createThrottle } from '../http/throttle.ts'
import type { ApiStore } from './ports.ts'

const wrongPairs = { perS: 1, burst: 20 }
const noSuchSecret = Buffer.alloc(32)

export function authenticator(
  store: Pick<ApiStore, 'findApiKey' | 'keyUsed'>,
): (request: FastifyRequest) => Promise<Caller> {
  const throttle = createThrottle(wrongPairs)
  return async request => {
    const pair = credentialsFrom(request.headers.authorization)
    const caller = pair === null ? null : await callerFor(store, pair)
    if (caller !== null) {
      store.keyUsed(caller.merchantId, caller.name)
      return caller
    }
    for (const name of [`address ${networkOf(request.ip)}`, ...(pair === null ? [] : [`key ${pair.key}`])]) {
      const taken = throttle.take(name)
      if (!taken.ok) throw ApiError.tooMany('Too many requests with wrong credentials.', taken.retryAfterS)
    }
    throw ApiError.unauthorized()
  }
}

export function credentialsFrom(header: string | undefined): { key: string; secret: string } | null {
  const [, encoded] = /^Basic +([A-Za-z0-9+/_-]+={0,2})$/i.exec(header ?? '') ?? []
  if (encoded === undefined) return null
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  const key = text.slice(0, colon)
  return colon === -1 || !/^pk_[A-Za-z0-9_-]{1,100}$/.test(key) ? null : { key, secret: text.slice(colon + 1) }
}

async function callerFor(
  store: Pick<ApiStore, 'findApiKey'>,
  pair: { key: string; secret: string },
): Promise<Caller | null> {
  const found = await store.findApiKey(pair.key)
  const given = createHash('sha256').update(pair.secret).digest()
  const same = timingSafeEqual(given, found?.secretSha256 ?? noSuchSecret)
  return found !== null && same ? { merchantId: found.merchantId, name: pair.key, session: null } : null
}
