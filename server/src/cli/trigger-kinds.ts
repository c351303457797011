// What `tillbell trigger` makes happen, by kind: with which card, in which steps, and which hook tells of it.

import type { HookKind } from '@tillbell/sdk'
import type { BehaviourName } from '../gateways/sandbox/test-cards.ts'

/** After the charge. */
export type NextStep = 'capture' | 'void' | 'refund' | 'dispute'

export interface TriggerKind {
  readonly says: string
  readonly card: BehaviourName
  readonly authorizationOnly: boolean
  /** As the charge leaves the Transaction, where nothing comes in between. */
  readonly charged: 'Successful' | 'Authorized' | 'Failed' | 'Further Action Required'
  readonly next: NextStep | null
  /** The kind of the hook that this is about. */
  readonly hook: HookKind
}

const sale = { card: 'success', authorizationOnly: false, charged: 'Successful', next: null } as const
const authorization = { ...sale, authorizationOnly: true, charged: 'Authorized' } as const

export const triggerKinds = {
  pre_sale: { ...sale, says: 'Charge a card that succeeds: Pre-Sale is asked before.', hook: 'pre_sale' },
  transaction: { ...sale, says: 'Charge a card that succeeds.', hook: 'transaction' },
  authorization: { ...authorization, says: 'Authorise, and take no money yet.', hook: 'transaction' },
  capture: { ...authorization, says: 'Authorise, then capture.', next: 'capture', hook: 'transaction' },
  far: {
    ...sale,
    says: 'Charge a card whose bank wants 3-D Secure: the customer has to go on.',
    card: 'three_d_secure',
    charged: 'Further Action Required',
    hook: 'far',
  },
  error: { ...sale, says: 'Charge a card that is declined.', card: 'card_declined', charged: 'Failed', hook: 'error' },
  refund: { ...sale, says: 'Charge, then refund all of it.', next: 'refund', hook: 'update' },
  void: { ...authorization, says: 'Authorise, then void.', next: 'void', hook: 'update' },
  dispute: { ...sale, says: 'Charge, then have the bank dispute it.', next: 'dispute', hook: 'update' },
} as const satisfies { readonly [name: string]: TriggerKind }

export type TriggerName = keyof typeof triggerKinds

export function isTriggerName(given: string): given is TriggerName {
  return Object.hasOwn(triggerKinds, given)
}
