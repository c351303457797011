// A hook of each kind, made by the code that makes real ones, as the docs show them.

import type { HookDetails, HookKind } from '@tillbell/sdk'
import type { ReportedDispute } from '../../src/core/gateway.ts'
import { type DetailsOf, hookDetails } from '../../src/core/hook-details.ts'
import type { Transaction } from '../../src/core/transaction.ts'
import { after, authorized, failed, madeCharge, noon, processing, sale, service, successful } from './sale-samples.ts'

export interface HookSample {
  readonly kind: HookKind
  readonly details: HookDetails
}

const refund = {
  ...madeCharge,
  kind: 'refund',
  amountMinor: 2_500n,
  refundedBy: 'Grace',
  refundedReason: 'Sent back',
} as const
const dispute: ReportedDispute = {
  gatewayRef: 'dp_1',
  amountMinor: 10_000n,
  currency: sale.offer.currency,
  status: 'open',
  reason: 'fraudulent',
  openedAt: noon,
}
const waiting: Transaction = {
  ...processing,
  status: 'Further Action Required',
  actionExpiresAt: after(noon, 3_600_000),
}
const partlyRefunded: Transaction = { ...successful, status: 'Partially Refunded', refundedMinor: 2_500n }
const voided: Transaction = { ...authorized, status: 'Voided', heldMinor: 0n }

function made(kind: HookKind, transaction: Transaction, of: Omit<DetailsOf, 'at'>): HookSample {
  return { kind, details: hookDetails({ ...sale, transaction }, service, { ...of, at: noon }) }
}

export const hookSamples = {
  transaction: made('transaction', successful, { type: 'success', asked: 'charge' }),
  pre_sale: made('pre_sale', processing, { type: 'pre_sale', asked: 'charge' }),
  authorization: made('transaction', authorized, { type: 'success', asked: 'charge' }),
  capture: made('transaction', successful, { type: 'success', asked: 'capture' }),
  far: made('far', waiting, { type: 'far', asked: 'charge' }),
  error: made('error', failed, { type: 'error', asked: 'charge' }),
  generic: made('generic', successful, { type: 'success', asked: 'charge' }),
  refund: made('update', partlyRefunded, { type: 'refund', asked: 'refund', news: { refund } }),
  void: made('update', voided, { type: 'void', asked: 'void' }),
  dispute: made('update', successful, { type: 'dispute', asked: 'nothing', news: { dispute } }),
} as const

export type SampleName = keyof typeof hookSamples

const inFence = ({ kind }: HookSample, value: object) =>
  `<!-- code: hook ${kind} -->\n\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``

export function wholeSample(name: SampleName): string {
  return inFence(hookSamples[name], hookSamples[name].details)
}

/** What it has that a sale has not, or not so; then the whole, folded away. */
export function sampleBesideSale(name: SampleName): string {
  const { details } = hookSamples[name]
  const ofSale: { readonly [field: string]: unknown } = { ...hookSamples.transaction.details }
  const own = Object.entries(details).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(ofSale[field]),
  )
  const differs = `\`\`\`json\n${JSON.stringify(Object.fromEntries(own), null, 2)}\n\`\`\``
  const whole = `<details>\n<summary>The whole ${folded[name] ?? name}</summary>\n\n${wholeSample(name)}\n\n</details>`
  return own.length === 0 ? whole : `${differs}\n\n${whole}`
}

const folded: { readonly [name in SampleName]?: string } = {
  pre_sale: 'Pre-Sale',
  authorization: 'authorisation',
  capture: 'capture',
  far: 'Further Action Required',
  error: 'Error',
  generic: 'copy of a Transaction',
  refund: 'refund',
  void: 'void',
  dispute: 'dispute',
}
