// The store that the rules of a sale work with.

import type { Outbox } from '../core/delivery.ts'
import type { SaleStore } from '../core/ports.ts'
import { createTurns, inTurn } from '../core/turns.ts'
import { type Database, whileReconnecting } from './database.ts'
import { createUncharged, goOnWithSale } from './letter-sales.ts'
import { findEarlierRequest, loadSale, loadSaleForCustomer, readChargeFacts } from './sale-reading.ts'
import { commitChange, createSale } from './sale-writing.ts'
import {
  claimOperation,
  countSending,
  keepContrary,
  keepForPerson,
  keepLateSuccess,
  recordRecheck,
  releaseOperation,
} from './sweeping.ts'

/**
 * One sale may have megabytes of refunds, and all merchants share the connections to the database. A usual sale is read in a
 * millisecond: four at a time are more than a merchant needs.
 */
const loadsAtOnce = 4

export function saleStore(sql: Database, outbox: Outbox): SaleStore {
  const loads = createTurns(loadsAtOnce)
  return {
    chargeFacts: (merchantId, offerId, cardToken) => readChargeFacts(sql, merchantId, offerId, cardToken),
    create: newSale => createSale(sql, newSale),
    createUncharged: uncharged => createUncharged(sql, outbox, uncharged),
    goOn: going => goOnWithSale(sql, going),
    commit: change => commitChange(sql, outbox, change),
    load: (merchantId, transactionId) =>
      inTurn(loads, merchantId, () => whileReconnecting(() => loadSale(sql, merchantId, transactionId))),
    loadForCustomer: (merchantId, transactionId) =>
      whileReconnecting(() => loadSaleForCustomer(sql, merchantId, transactionId)),
    findEarlier: (merchantId, repetition) => findEarlierRequest(sql, merchantId, repetition),
    claimOperation: ({ merchantId, id }, leaseMs) => claimOperation(sql, merchantId, id, leaseMs),
    countSending: held => countSending(sql, held),
    releaseOperation: (held, next) => releaseOperation(sql, held, next),
    recordRecheck: (held, recheck) => recordRecheck(sql, held, recheck),
    keepContrary: (operation, sentence) => whileReconnecting(() => keepContrary(sql, operation, sentence)),
    keepForPerson: (operation, sentence) => whileReconnecting(() => keepForPerson(sql, operation, sentence)),
    keepLateSuccess: (operation, sentence) => whileReconnecting(() => keepLateSuccess(sql, operation, sentence)),
  }
}
