// The store that the rules of a sale work with.

import type { Outbox } from '../core/delivery.ts'
import type { SaleStore } from '../core/ports.ts'
import { type Database, whileReconnecting } from './database.ts'
import { createUncharged, goOnWithSale } from './letter-sales.ts'
import { createLoadTurns, lengthOfEarlier, lengthOfSale } from './load-turns.ts'
import { findEarlierRequest, isKeyTaken, loadSale, loadSaleForCustomer, readChargeFacts } from './sale-reading.ts'
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

export function saleStore(sql: Database, outbox: Outbox): SaleStore {
  const inLoadTurn = createLoadTurns()
  return {
    chargeFacts: (merchantId, offerId, cardToken) => readChargeFacts(sql, merchantId, offerId, cardToken),
    create: newSale => createSale(sql, newSale),
    createUncharged: uncharged => createUncharged(sql, outbox, uncharged),
    goOn: going => goOnWithSale(sql, going),
    commit: change => commitChange(sql, outbox, change),
    load: (merchantId, transactionId) =>
      inLoadTurn(merchantId, () => whileReconnecting(() => loadSale(sql, merchantId, transactionId)), lengthOfSale),
    loadForCustomer: (merchantId, transactionId) =>
      whileReconnecting(() => loadSaleForCustomer(sql, merchantId, transactionId)),
    async findEarlier(merchantId, repetition) {
      if (!(await isKeyTaken(sql, merchantId, repetition))) return null
      return inLoadTurn(merchantId, () => findEarlierRequest(sql, merchantId, repetition), lengthOfEarlier)
    },
    claimOperation: ({ merchantId, id }, leaseMs) => claimOperation(sql, merchantId, id, leaseMs),
    countSending: held => countSending(sql, held),
    releaseOperation: (held, next) => releaseOperation(sql, held, next),
    recordRecheck: (held, recheck) => recordRecheck(sql, held, recheck),
    keepContrary: (operation, sentence) => whileReconnecting(() => keepContrary(sql, operation, sentence)),
    keepForPerson: (operation, sentence) => whileReconnecting(() => keepForPerson(sql, operation, sentence)),
    keepLateSuccess: (operation, sentence) => whileReconnecting(() => keepLateSuccess(sql, operation, sentence)),
  }
}
