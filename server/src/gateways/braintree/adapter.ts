// The gateway port to Braintree. It has no idempotency keys to rest on and nothing to fence with: an operation is sent
// once, what is found afterwards is proof, and what is not found waits for a person.

import type { Gateway, GatewayPromises } from '../../core/gateway.ts'
import type { BraintreeAccount } from './account.ts'
import { describeCard, removeCard, storeCard } from './cards.ts'
import { openLine } from './line.ts'
import { listEntries } from './listing.ts'
import { checkReference, listUnderId, lookUpOperation } from './lookup.ts'
import { accountChooser } from './merchant-accounts.ts'
import { preparedFor, sendOperation } from './send.ts'

// Braintree's library has an `apiRequestKey`. Its documentation opens that to chosen merchants only, and others are
// refused for using it: nothing to promise to whoever brings an account.
export const braintreePromises: GatewayPromises = { idempotentForMs: 0, lookup: true, fence: false }

export function openBraintree(account: BraintreeAccount, fingerprintKey: Buffer): Gateway {
  const accountFor = accountChooser(account)
  const fingerprints = { key: fingerprintKey, account: account.name }
  return {
    promises: braintreePromises,
    prepare: request => preparedFor(request, account),
    send: (request, signal, note) => sendOperation(request, openLine(account, signal, note), accountFor),
    lookup: (request, signal, note) => lookUpOperation(request, openLine(account, signal, note)),
    listUnderId: (request, signal, note) => listUnderId(request, openLine(account, signal, note)),
    checkReference: (request, gatewayRef, signal, note) =>
      checkReference(request, gatewayRef, openLine(account, signal, note)),
    fence: async () => false,
    cardFields: { kind: 'none' },
    storeCard: (card, signal) => storeCard(card, openLine(account, signal), fingerprints),
    describeCard: (cardRef, signal) => describeCard(cardRef, openLine(account, signal), fingerprints),
    removeCard: (cardRef, signal) => removeCard(cardRef, openLine(account, signal)),
    // Its vault does not say who stored a card: only the merchant removes one.
    removeOwnCard: async () => ({ kind: 'not_ours' }),
    // 3-D Secure happens in Braintree's card fields, before there is a nonce: no charge ever waits for it.
    customerStep: null,
    notices: null,
    list: (span, signal) => listEntries(openLine(account, signal), span),
    // Each call has a connection of its own, and closes it.
    close() {},
  }
}
