// Hooks as the service writes them, for shops that have no service at hand.

import { createHmac } from 'node:crypto'
import { hookBody } from '@tillbell/sdk'
import { type DetailsOf, hookDetails } from '../../src/core/hook-details.ts'
import type { TransactionId } from '../../src/core/ids.ts'
import { testDetails } from '../../src/core/test-details.ts'
import type { Transaction } from '../../src/core/transaction.ts'
import {
  authorized,
  customer,
  failed,
  merchant,
  noon,
  offer,
  processing,
  sale,
  service,
  successful,
} from './sale-samples.ts'

export const privateKey = 'OK4M40Bp5NhPJagGRXB9x1dI58ujH1mvhjF526jkqYs='
export const nextPrivateKey = 'q83vEjRWeJCrze8SNFZ4kKvNq83vEjRWeJCrze8SNFY='
/** Everything that URL encoding, JSON, UTF-8 or a shell could stumble over. */
export const hard = `Zoë 語 🧾 +%2B &a=b; 100% "quoted" 'single' \`tick\` $HOME #{hash} \\ \u2028 <b>`

/** A notification of something with hard texts all over. */
export function detailsOf(transaction: Transaction, of: Pick<DetailsOf, 'type' | 'asked'>): string {
  const hardOffer = { ...offer, title: hard, customData: { [hard]: hard } }
  const named = { ...sale, transaction, offer: hardOffer, customer: { ...customer, firstName: hard } }
  return JSON.stringify(hookDetails(named, service, { ...of, at: noon }))
}

export interface ShopHook {
  readonly kind: 'pre_sale' | 'transaction' | 'far' | 'error'
  readonly details: string
}

export function soldHook(id: string, quantity = 1): ShopHook {
  return { kind: 'transaction', details: detailsOf(of(successful, id, quantity), { type: 'success', asked: 'charge' }) }
}

export function authorizedHook(id: string): ShopHook {
  return { kind: 'transaction', details: detailsOf(of(authorized, id), { type: 'success', asked: 'charge' }) }
}

export function capturedHook(id: string): ShopHook {
  const captured = of({ ...successful, authorizationOnly: true }, id)
  return { kind: 'transaction', details: detailsOf(captured, { type: 'success', asked: 'capture' }) }
}

export function preSaleHook(id: string, quantity = 1): ShopHook {
  return { kind: 'pre_sale', details: detailsOf(of(processing, id, quantity), { type: 'pre_sale', asked: 'charge' }) }
}

export function failedHook(id: string): ShopHook {
  return { kind: 'error', details: detailsOf(of(failed, id), { type: 'error', asked: 'charge' }) }
}

export function farHook(id: string): ShopHook {
  return { kind: 'far', details: detailsOf(of(processing, id), { type: 'far', asked: 'charge' }) }
}

/** As "send a test" makes it. */
export const testHook: ShopHook = {
  kind: 'transaction',
  details: JSON.stringify(testDetails(merchant, 'transaction', service, noon)),
}

function of(transaction: Transaction, id: string, quantity = 1): Transaction {
  const amountMinor = transaction.unitPriceMinor * BigInt(quantity)
  return { ...transaction, id: id as TransactionId, quantity, amountMinor }
}

/** Bodies of that hook that nobody may believe: changed, with another signature or none, of another key, and no form at all. */
export function forgeriesOf({ details }: ShopHook): readonly string[] {
  const body = hookBody(details, privateKey)
  const [detailsPart = '', signaturePart = ''] = body.split('&')
  const otherSignature = body.endsWith('0') ? `${body.slice(0, -1)}1` : `${body.slice(0, -1)}0`
  return [
    body.replace('100.00', '900.00'),
    otherSignature,
    detailsPart,
    `${detailsPart}&signature=`,
    `${detailsPart.replace('details=', 'details[]=')}&${signaturePart}`,
    signaturePart,
    hookBody(details, nextPrivateKey),
    signedWithoutKey(details),
    details,
    '%zz=%&details',
    '',
  ]
}

/** With the empty key, as anybody can; the sdk does not. */
export function signedWithoutKey(details: string): string {
  const signature = createHmac('sha1', '').update(details).digest('hex')
  return new URLSearchParams({ details, signature }).toString()
}
