// Merchant accounts: Braintree settles each in one currency, and a charge does not say its currency. So the account is
// chosen by it, and never left to chance: a hundred euros must not become a hundred dollars.

import type { NotSent } from '../../core/gateway.ts'
import { type Currency, parseCurrency } from '../../core/money.ts'
import type { BraintreeAccount } from './account.ts'
import { type Failed, notSent, unknown } from './failures.ts'
import type { Line } from './line.ts'
import { isMembers, listIn, textIn } from './members.ts'

export interface MerchantAccount {
  readonly id: string
  readonly currency: Currency | null
  readonly isDefault: boolean
}

const pagesMax = 100

export async function readMerchantAccounts(line: Line): Promise<readonly MerchantAccount[] | Failed> {
  const accounts: MerchantAccount[] = []
  for (let page = 1; page <= pagesMax; page++) {
    const asked = await line.ask((sdk, path) => sdk.http.get(`${path}/merchant_accounts?page=${page}`))
    if (asked.kind !== 'answered') return asked
    const body = isMembers(asked.answer) ? asked.answer.merchantAccounts : null
    if (!isMembers(body) || typeof body.totalItems !== 'number') break
    const read = listIn(body, 'merchantAccount').map(readMerchantAccount)
    const known = read.filter(account => account !== null)
    if (known.length !== read.length) break
    accounts.push(...known)
    if (accounts.length >= body.totalItems) return accounts
    if (read.length === 0) break
  }
  return unknown('The list of merchant accounts was not understood.')
}

function readMerchantAccount(value: unknown): MerchantAccount | null {
  const id = isMembers(value) ? textIn(value, 'id') : null
  if (!isMembers(value) || id === null) return null
  return { id, currency: parseCurrency(textIn(value, 'currencyIsoCode') ?? ''), isDefault: value.default === true }
}

/** The rest of a sentence that begins with `credentials`; null: each named merchant account is there, in its currency. */
export function wrongMerchantAccount(account: BraintreeAccount, known: readonly MerchantAccount[]): string | null {
  for (const [currency, id] of account.merchantAccounts) {
    const named = known.find(each => each.id === id)
    if (named === undefined) return `name the merchant account ${id}, which is not there.`
    if (named.currency !== currency)
      return `name the merchant account ${id} for ${currency}, which is for another currency.`
  }
  return null
}

export type AccountFor = (currency: Currency, line: Line) => Promise<string | Failed>

/** The currency of the default account is asked once. Until it is known, nothing is charged through it. */
export function accountChooser({ merchantAccounts }: BraintreeAccount): AccountFor {
  let byDefault: MerchantAccount | null = null
  return async (currency, line) => {
    const named = merchantAccounts.get(currency)
    if (named !== undefined) return named
    if (byDefault === null) {
      const known = await readMerchantAccounts(line)
      if ('kind' in known) return known
      byDefault = known.find(({ isDefault }) => isDefault) ?? null
    }
    return byDefault?.currency === currency ? byDefault.id : noAccountFor(currency)
  }
}

function noAccountFor(currency: Currency): NotSent {
  return notSent('gateway_refused', `No merchant account for ${currency} is named, and the default one is not for it.`)
}
