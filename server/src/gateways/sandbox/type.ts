// The sandbox: in this process by default, or a server over HTTP where credentials have its `url`.

import { createHash } from 'node:crypto'
import { type GatewayType, isOnThisMachine, isThisService } from '../type.ts'
import { challengeStep } from './customer-step.ts'
import { openSandboxOverHttp, sandboxUrl } from './http-adapter.ts'
import { openSandbox } from './in-process.ts'

export const testType: GatewayType = {
  members: ['url'],
  whyNot({ url }, world) {
    if (world.mode === 'live') return { field: 'type', says: 'must not be test in live mode.' }
    if (url === undefined) return null
    const base = typeof url === 'string' ? sandboxUrl(url) : null
    if (base === null || !isOnThisMachine(base)) {
      return { field: 'credentials', says: 'must have a url such as "http://127.0.0.1:9900", or none.' }
    }
    return isThisService(base, world)
      ? { field: 'credentials', says: 'must not have this service itself as its url.' }
      : null
  },
  // An account is kept as it is, and the address was given as a credential: only its hash says where the account is.
  identify: async ({ url }, _world, _signal, id) => ({
    kind: 'account',
    account: `${id} ${url === undefined ? 'in process' : createHash('sha256').update(String(url)).digest('base64url')}`,
  }),
  hasNotices: false,
  async open(id, { url }, { books, fingerprintKey, challengeUrl }) {
    const sandbox =
      typeof url === 'string'
        ? openSandboxOverHttp({ url, account: id })
        : openSandbox({ books, account: id, fingerprintKey })
    return { ...sandbox, customerStep: challengeStep(sandbox, (...charged) => challengeUrl(id, ...charged)) }
  },
}
