// Joins the page where a customer goes on with a payment, and the sandbox's bank, to the rules and the rows.

import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from './config.ts'
import { continueWithCustomer, lookAfterCustomer } from './core/customer-step.ts'
import type { Gateway } from './core/gateway.ts'
import type { Ports } from './core/ports.ts'
import type { Sale } from './core/sale.ts'
import type { Foundation } from './foundation.ts'
import type { SandboxControls } from './gateways/sandbox/account.ts'
import { createThrottle } from './http/throttle.ts'
import type { Joined } from './join-core.ts'
import { formTokens } from './keys/form-tokens.ts'
import type { ChallengePorts } from './pages/challenges.ts'
import type { StepPagePorts } from './pages/steps.ts'
import { findOwner } from './store/directory.ts'
import { findOperation } from './store/operations.ts'
import { findLook } from './store/payment-pages.ts'

/** Of one payment: a few at once for somebody who is impatient, and one in two seconds for a machine. */
const asks = { perS: 0.5, burst: 8 }

/** In the sandbox, what stands in for a gateway on this machine has its bank there. */
const banksThere = ['https:', 'http://127.0.0.1:*', 'http://localhost:*']

export function banksOf({ mode }: Config): readonly string[] {
  return mode === 'sandbox' ? banksThere : ['https:']
}

export function stepPagePorts({ sql, sealer, config }: Foundation, { ports }: Joined): StepPagePorts {
  const throttle = createThrottle(asks)
  const tokens = formTokens(sealer.derive('forms of customers'))
  return {
    async find(offerId, transactionId) {
      const merchantId = await findOwner(sql, 'offer', offerId)
      const sale = merchantId === null ? null : await ports.store.loadForCustomer(merchantId, transactionId)
      return sale?.transaction.offerId === offerId ? sale : null
    },
    findLook: merchantId => findLook(sql, merchantId),
    begin: ({ transaction }, returnUrl) =>
      continueWithCustomer(ports, transaction.merchantId, transaction.id, returnUrl),
    lookAgain: sale => lookOrWait(ports, sale),
    mayAsk: transactionId => throttle.take(transactionId).ok,
    formToken: tokens.of,
    isFormToken: tokens.fits,
    isSandbox: config.mode === 'sandbox',
    banks: banksOf(config),
    baseUrl: () => ports.service.baseUrl,
    now: ports.now,
  }
}

const lookEveryMs = 100
const waitMaxMs = 3_000

/** Somebody else who asks just now is about to know: so long they are waited for. */
async function lookOrWait(ports: Ports, sale: Sale): Promise<Sale> {
  const { merchantId, id } = sale.transaction
  const untilMs = performance.now() + waitMaxMs
  for (let current = sale; ; ) {
    const looked = await lookAfterCustomer(ports, current)
    if (looked !== null) return looked
    if (performance.now() >= untilMs) return current
    await delay(lookEveryMs)
    current = (await ports.store.loadForCustomer(merchantId, id)) ?? current
  }
}

export function challengePorts({ sql }: Foundation, { ports }: Joined): ChallengePorts {
  return {
    async find(gatewayId, operationId) {
      const merchantId = await findOwner(sql, 'gateway', gatewayId)
      const operation = merchantId === null ? null : await findOperation(sql, merchantId, operationId)
      if (operation?.gatewayId !== gatewayId) return null
      const sale = await ports.store.loadForCustomer(operation.merchantId, operation.transactionId)
      return sale !== null && isSandbox(await ports.openGateway(operation.merchantId, gatewayId)) ? sale : null
    },
    async answer(gatewayId, operationId, result) {
      const merchantId = await findOwner(sql, 'gateway', gatewayId)
      const gateway = merchantId === null ? null : await ports.openGateway(merchantId, gatewayId)
      if (gateway === null || !isSandbox(gateway)) return 'unknown'
      return (await gateway.challenge(operationId, result)) === 'unknown' ? 'unknown' : 'done'
    },
    isSandbox: true,
    baseUrl: () => ports.service.baseUrl,
  }
}

function isSandbox(gateway: Gateway): gateway is Gateway & SandboxControls {
  return 'challenge' in gateway
}
