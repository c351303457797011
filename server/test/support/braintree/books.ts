// The look-alike's transactions: what may follow what, as Braintree documents it. It knows no idempotency; its check for
// duplicates is the documented one, by amount, order id and card within half a minute.

import { randomBytes } from 'node:crypto'
import type { VaultCard } from './vault.ts'
import type { Tree } from './xml.ts'

export interface Entry {
  readonly id: string
  readonly type: 'sale' | 'credit'
  status: string
  /** Hundredths, or whole ones of a currency without. */
  amountMinor: bigint
  readonly currency: string
  readonly orderId: string
  readonly merchantAccountId: string
  readonly token: string
  readonly refundedId: string | null
  readonly createdAt: Date
  processorCode: string | null
  rejection: string | null
  readonly history: { readonly status: string; readonly timestamp: Date }[]
}
/** Codes of validation errors, with the attribute that is wrong. */
export type Refused = { readonly attribute: string; readonly code: string }
export type Booked = Entry | Refused

export interface Sale {
  readonly amountMinor: bigint
  readonly currency: string
  readonly orderId: string
  readonly merchantAccountId: string
  readonly submit: boolean
}

const duplicateWithinMs = 30_000
const voidable = ['authorized', 'submitted_for_settlement', 'settlement_pending']

export function createBooks() {
  const entries = new Map<string, Entry>()
  let approvesPartly = false

  function enter(facts: Omit<Entry, 'id' | 'createdAt' | 'history' | 'processorCode' | 'rejection'>): Entry {
    const made = { id: randomBytes(4).toString('hex'), createdAt: new Date(), history: [] }
    const entry: Entry = { ...facts, ...made, processorCode: null, rejection: null }
    entries.set(entry.id, entry)
    turn(entry, facts.status)
    return entry
  }

  function turn(entry: Entry, status: string): Entry {
    entry.status = status
    entry.history.unshift({ status, timestamp: new Date() })
    return entry
  }

  function isDuplicate(sale: Sale, token: string): boolean {
    return [...entries.values()].some(
      each =>
        each.type === 'sale' &&
        each.orderId === sale.orderId &&
        each.amountMinor === sale.amountMinor &&
        each.token === token &&
        Date.now() - each.createdAt.getTime() < duplicateWithinMs,
    )
  }

  return {
    all: (): readonly Entry[] => [...entries.values()],
    find: (id: string) => entries.get(id),

    sell(sale: Sale, { token, behaviour }: VaultCard): Entry {
      const { submit, ...facts } = sale
      const duplicate = isDuplicate(sale, token)
      const entry = enter({ ...facts, type: 'sale', status: 'authorizing', token, refundedId: null })
      const hundreds = sale.amountMinor / (sale.currency === 'JPY' ? 1n : 100n)
      const code = behaviour.declinesWith ?? (hundreds >= 2000n && hundreds <= 3000n ? String(hundreds) : '1000')
      entry.rejection = duplicate ? 'duplicate' : (behaviour.rejectedFor ?? null)
      entry.processorCode = entry.rejection === null ? code : null
      if (entry.rejection !== null) return turn(entry, 'gateway_rejected')
      if (code === '3000') return turn(entry, 'failed')
      if (code !== '1000') return turn(entry, 'processor_declined')
      if (approvesPartly) {
        entry.amountMinor /= 2n
        entry.processorCode = '1004'
        approvesPartly = false
      }
      turn(entry, 'authorized')
      return submit ? turn(entry, 'submitted_for_settlement') : entry
    },

    submit(entry: Entry, amountMinor: bigint): Booked {
      if (entry.status !== 'authorized') return { attribute: 'base', code: '91507' }
      if (amountMinor > entry.amountMinor) return { attribute: 'amount', code: '91522' }
      entry.amountMinor = amountMinor
      return turn(entry, 'submitted_for_settlement')
    },

    release(entry: Entry): Booked {
      return voidable.includes(entry.status) ? turn(entry, 'voided') : { attribute: 'base', code: '91504' }
    },

    refund(entry: Entry, amountMinor: bigint, orderId: string): Booked {
      if (entry.type === 'credit') return { attribute: 'base', code: '91505' }
      if (entry.status !== 'settled' && entry.status !== 'settling') return { attribute: 'base', code: '91506' }
      const given = [...entries.values()].filter(({ refundedId }) => refundedId === entry.id)
      const left = given.reduce((sum, each) => sum - each.amountMinor, entry.amountMinor)
      if (left === 0n) return { attribute: 'base', code: '91512' }
      if (amountMinor > left) return { attribute: 'amount', code: '91521' }
      const { currency, merchantAccountId, token, id: refundedId } = entry
      const facts = { amountMinor, currency, merchantAccountId, token, refundedId, orderId }
      const credit = enter({ ...facts, type: 'credit', status: 'submitted_for_settlement' })
      credit.processorCode = '1002'
      return credit
    },

    /** The next sale is approved for half of its amount. */
    approvePartly: () => {
      approvesPartly = true
    },
    /** What happens by itself overnight. */
    settle: (entry: Entry): Entry => (entry.status === 'submitted_for_settlement' ? turn(entry, 'settled') : entry),
    /** Whatever else may happen to one. */
    turn,
  }
}
export type Books = ReturnType<typeof createBooks>

export function treeOf(entry: Entry, refundIds: readonly string[]): Tree {
  const { id, type, status, currency, orderId, merchantAccountId, refundedId, createdAt, history } = entry
  return {
    id,
    type,
    status,
    amount: amountText(entry),
    currencyIsoCode: currency,
    orderId,
    merchantAccountId,
    createdAt,
    refundedTransactionId: refundedId,
    refundIds,
    processorResponseCode: entry.processorCode,
    gatewayRejectionReason: entry.rejection,
    statusHistory: history.map(({ status: turned, timestamp }) => ({ timestamp, status: turned })),
    creditCard: { token: entry.token },
    customFields: '',
  }
}

function amountText({ amountMinor, currency }: Entry): string {
  if (currency === 'JPY') return String(amountMinor)
  const digits = String(amountMinor).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}
