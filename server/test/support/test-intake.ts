// For the tests of this room: an intake whose DNS is real and whose database is a list.

import { randomUUID } from 'node:crypto'
import type { MerchantId, OfferId } from '../../src/core/ids.ts'
import type { Asked, InboundPorts, NewLetter } from '../../src/mail/in/ports.ts'
import { readInThisThread } from '../../src/mail/in/read-in-this-thread.ts'

export const mailDomain = 'pay.test'
export const offerId = '0199a000-0000-7000-8000-000000000001'
export const payment = `payment-id-${offerId}@${mailDomain}`
export const token = `@${'Ab0_'.repeat(30)}cd==@`

export const wanted: Asked = {
  merchantId: 'm_1' as MerchantId,
  offerId: offerId as OfferId,
  tokenSha256: null,
  verifies: null,
  onlyCard: null,
  isPersonal: false,
  onlyEmail: null,
}

/** What an email says that pays at once. */
export const sentence = 'Please take it.'

export interface TestIntake extends InboundPorts {
  readonly kept: NewLetter[]
}

export function testIntake(resolve: InboundPorts['resolve']): TestIntake {
  const kept: NewLetter[] = []
  return {
    mailDomain,
    reader: readInThisThread,
    kept,
    findOffer: async id => (id === offerId ? wanted : null),
    openToken: async text => (text === token ? { ...wanted, tokenSha256: '00', isPersonal: true, isGood: true } : null),
    expectedSentences: async () => [sentence],
    keptBefore: async () => null,
    mayKeep: async () => true,
    mayBeUndecided: async () => true,
    keep: async letter => {
      const known = kept.some(({ keys }) => keys.some(key => letter.keys.some(other => other.equals(key))))
      if (!known) kept.push(letter)
      return { id: randomUUID(), known, isRefused: letter.isRefused }
    },
    resolve,
    now: () => new Date(),
  }
}
