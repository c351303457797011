// Joins the routes of gateways to what knows whose an account is.

import type { ApiPorts, SettingsWrites } from './api/ports.ts'
import type { TestedGateway } from './console/gateway-tests.ts'
import { gatewayTimeoutMs } from './core/call-gateway.ts'
import type { GatewayAccount } from './core/gateway.ts'
import type { GatewayId, MerchantId } from './core/ids.ts'
import type { Foundation } from './foundation.ts'
import { hasNotices, identifyGateway, unknownCredential, whyNotGateway } from './gateways/open.ts'
import type { Joined } from './join-core.ts'
import type { Logger } from './observe/log.ts'
import { saySparingly } from './observe/say-sparingly.ts'
import { belongsTo } from './setup/merchant.ts'
import type { Scope } from './store/database.ts'
import { findGateway, insertGateway, updateGateway } from './store/gateways.ts'

export function gatewayPorts({ sql, sealer }: Foundation, log: Logger, { gatewayWorld }: Joined): ApiPorts['gateways'] {
  const sparingly = saySparingly()
  const identify: ApiPorts['gateways']['identify'] = async ({ merchantId, id, type }, credentials) => {
    const signal = AbortSignal.timeout(gatewayTimeoutMs)
    const identified = await identifyGateway(id, type, { ...credentials }, gatewayWorld, signal)
    if (identified.kind === 'unknown') {
      const facts = { merchant: merchantId, gateway: id, type, cause: identified.sentence }
      // By merchant: one that is not connected yet has another id at each try.
      sparingly(`${merchantId} ${type}`, unsaid =>
        log.warn({ ...facts, ...(unsaid > 0 && { unsaid }) }, 'a gateway could not be asked whose it is'),
      )
    }
    return identified
  }
  const kept = async ({ merchantId, id }: GatewayAccount) => {
    const known = await findGateway(sql, merchantId, id)
    if (known === null) throw new Error(`gateway ${id} is gone`)
    return known
  }
  const opened = ({ merchantId, id }: GatewayAccount, sealed: Buffer): object =>
    JSON.parse(sealer.open(sealed, belongsTo.credentials(merchantId, id)))
  return {
    whyNotCredentials: (type, credentials) => whyNotGateway(type, credentials, gatewayWorld),
    unknownCredential,
    identify,
    async completed(gateway, changes) {
      const { credentialsSealed: over } = await kept(gateway)
      const whole = Object.entries({ ...opened(gateway, over), ...changes }).filter(([, value]) => value !== null)
      return { whole: Object.fromEntries(whole), over }
    },
    async accountOf(gateway) {
      const { account, credentialsSealed } = await kept(gateway)
      return account === null ? identify(gateway, opened(gateway, credentialsSealed)) : { kind: 'account', account }
    },
    hasNotices,
  }
}

/** Whether the credentials that are kept still open the account that was connected. Null: there is no such gateway. */
export async function testGateway(
  { sql, sealer }: Foundation,
  { gatewayWorld }: Joined,
  merchantId: MerchantId,
  id: GatewayId,
): Promise<TestedGateway | null> {
  const gateway = await findGateway(sql, merchantId, id)
  if (gateway === null) return null
  const credentials = JSON.parse(sealer.open(gateway.credentialsSealed, belongsTo.credentials(merchantId, id)))
  const signal = AbortSignal.timeout(gatewayTimeoutMs)
  const identified = await identifyGateway(id, gateway.type, credentials, gatewayWorld, signal)
  if (identified.kind === 'refused') return identified
  if (identified.kind === 'unknown') return { kind: 'no answer', sentence: identified.sentence }
  const isOther = gateway.account !== null && gateway.account !== identified.account
  return { kind: isOther ? 'other account' : 'opens' }
}

export function gatewayWrites(
  { sealer }: Foundation,
  scope: Scope,
): Pick<SettingsWrites, 'insertGateway' | 'updateGateway'> {
  const sealed = (credentials: string, merchantId: MerchantId, id: GatewayId) =>
    sealer.seal(credentials, belongsTo.credentials(merchantId, id))
  return {
    insertGateway: (gateway, { credentials, account }) =>
      insertGateway(scope, {
        ...gateway,
        account,
        credentialsSealed: sealed(credentials, gateway.merchantId, gateway.id),
      }),
    updateGateway: (merchantId, id, { opens, ...change }) =>
      updateGateway(scope, merchantId, id, {
        ...change,
        ...(opens !== undefined && {
          account: opens.account,
          over: opens.over,
          credentialsSealed: sealed(opens.credentials, merchantId, id),
        }),
      }),
  }
}
