// Joins the routes of gateways to what knows whose an account is.

import type { ApiPorts, ApiWrites } from './api/ports.ts'
import { gatewayTimeoutMs } from './core/call-gateway.ts'
import type { GatewayId, MerchantId } from './core/ids.ts'
import type { Foundation } from './foundation.ts'
import { hasNotices, identifyGateway, whyNotGateway } from './gateways/open.ts'
import type { Joined } from './join-core.ts'
import { belongsTo } from './setup/merchant.ts'
import type { Scope } from './store/database.ts'
import { findGateway, insertGateway, updateGateway } from './store/gateways.ts'

export function gatewayPorts({ sql, sealer }: Foundation, { gatewayWorld }: Joined): ApiPorts['gateways'] {
  const identify: ApiPorts['gateways']['identify'] = ({ id, type }, credentials) =>
    identifyGateway(id, type, { ...credentials }, gatewayWorld, AbortSignal.timeout(gatewayTimeoutMs))
  return {
    whyNotCredentials: (type, credentials) => whyNotGateway(type, credentials, gatewayWorld),
    identify,
    async accountOf({ merchantId, id }) {
      const known = await findGateway(sql, merchantId, id)
      if (known === null) throw new Error(`gateway ${id} is gone`)
      if (known.account !== null) return { kind: 'account', account: known.account }
      const credentials = sealer.open(known.credentialsSealed, belongsTo.credentials(merchantId, id))
      return identify(known, JSON.parse(credentials))
    },
    hasNotices,
  }
}

export function gatewayWrites(
  { sealer }: Foundation,
  scope: Scope,
): Pick<ApiWrites, 'insertGateway' | 'updateGateway'> {
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
          credentialsSealed: sealed(opens.credentials, merchantId, id),
        }),
      }),
  }
}
