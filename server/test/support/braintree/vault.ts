// The look-alike's vault, and the nonces that Braintree's sandbox documents.

import { randomBytes } from 'node:crypto'
import type { Tree } from './xml.ts'

export interface VaultCard {
  readonly token: string
  readonly behaviour: Behaviour
  readonly shown: Tree
}

interface Behaviour {
  readonly cardType: string
  readonly number: string
  /** In Braintree's sandbox the amount alone decides; here a card can also be one that is always declined. */
  readonly declinesWith?: string
  readonly rejectedFor?: string
}

const nonces: { readonly [nonce: string]: Behaviour } = {
  'fake-valid-nonce': { cardType: 'Visa', number: '4111111111111111' },
  'fake-valid-visa-nonce': { cardType: 'Visa', number: '4012888888881881' },
  'fake-valid-mastercard-nonce': { cardType: 'MasterCard', number: '5555555555554444' },
  'fake-valid-amex-nonce': { cardType: 'American Express', number: '378282246310005' },
  'fake-valid-discover-nonce': { cardType: 'Discover', number: '6011111111111117' },
  'fake-valid-jcb-nonce': { cardType: 'JCB', number: '3530111333300000' },
  'fake-processor-declined-visa-nonce': { cardType: 'Visa', number: '4000111111111115', declinesWith: '2000' },
  'fake-gateway-rejected-fraud-nonce': { cardType: 'Visa', number: '4000111111111123', rejectedFor: 'fraud' },
}

export const expiry = { month: 12, year: 2036 }

export function createVault() {
  const cards = new Map<string, VaultCard>()
  return {
    find: (token: string) => cards.get(token),
    remove: (token: string) => cards.delete(token),
    /** Null: such a nonce does not exist, or was used. */
    store(nonce: string): VaultCard | null {
      const behaviour = nonces[nonce]
      if (behaviour === undefined) return null
      const token = randomBytes(4).toString('hex')
      const { cardType, number } = behaviour
      const shown = {
        token,
        bin: number.slice(0, 6),
        last4: number.slice(-4),
        cardType,
        expirationMonth: String(expiry.month),
        expirationYear: String(expiry.year),
        uniqueNumberIdentifier: Buffer.from(number).toString('hex'),
        default: true,
        verifications: [],
      }
      const card = { token, behaviour, shown }
      cards.set(token, card)
      return card
    },
  }
}
export type Vault = ReturnType<typeof createVault>
