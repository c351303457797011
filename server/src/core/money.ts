// Money is an integer of minor units and a currency, never a float. Text from outside becomes money here, with a
// sentence when it cannot; nothing is rounded.

/** ISO 4217 currencies by their decimals. Funds codes, metals and test codes are left out: nobody pays a card with them. */
const currenciesByDecimals: Record<number, string> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF',
  2:
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP ' +
    'CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES ' +
    'KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK ' +
    'NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB ' +
    'TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG',
  3: 'BHD IQD JOD KWD LYD OMR TND',
}

export type Currency = string & { readonly of: 'currency' }

const decimalsOf = new Map<Currency, number>()
for (const [decimals, codes] of Object.entries(currenciesByDecimals)) {
  for (const code of codes.split(' ')) decimalsOf.set(code as Currency, Number(decimals))
}

export const defaultCurrency = 'USD' as Currency

export function parseCurrency(text: string): Currency | null {
  const code = text.toUpperCase() as Currency
  return decimalsOf.has(code) ? code : null
}

export function currencyDecimals(currency: Currency): number {
  const decimals = decimalsOf.get(currency)
  if (decimals === undefined) throw new Error(`not a currency: ${currency}`)
  return decimals
}

const digitsMax = 12
export const amountMinorMax = 10n ** BigInt(digitsMax) - 1n

export type ParsedAmount = { readonly amountMinor: bigint } | { readonly wrong: string }

/** `"100.00"` in the currency's decimals, more than nothing, at most twelve digits. The sentence follows the field's name. */
export function parseAmount(text: string, currency: Currency): ParsedAmount {
  const decimals = currencyDecimals(currency)
  const example = formatAmount(100n * 10n ** BigInt(decimals), currency)
  const parts = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?$/.exec(text)
  if (parts === null) return { wrong: `must be a decimal number such as "${example}".` }
  const [, whole = '', fraction = ''] = parts
  if (fraction.length > decimals) return { wrong: `has more decimals than ${currency} has (${decimals}).` }
  if (whole.length + fraction.length > digitsMax) return { wrong: `must have at most ${digitsMax} digits.` }
  const amountMinor = BigInt(whole + fraction.padEnd(decimals, '0'))
  if (amountMinor === 0n) return { wrong: 'must be more than zero.' }
  if (amountMinor > amountMinorMax) return { wrong: `must have at most ${digitsMax} digits.` }
  return { amountMinor }
}

/** One text for each amount, however many zeros it was given with: what is no amount stays as it is. */
export function amountTextForComparison(text: string): string {
  return /^\d+\.\d+$/.test(text) ? text.replace(/\.?0+$/, '') : text
}

export function formatAmount(amountMinor: bigint, currency: Currency): string {
  const decimals = currencyDecimals(currency)
  const sign = amountMinor < 0n ? '-' : ''
  const digits = (amountMinor < 0n ? -amountMinor : amountMinor).toString().padStart(decimals + 1, '0')
  if (decimals === 0) return sign + digits
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** The two places of the interface that want a JSON number instead of text. Twelve digits fit a double exactly enough to print back. */
export function amountAsNumber(amountMinor: bigint, currency: Currency): number {
  return Number(formatAmount(amountMinor, currency))
}

/** For people: `$100.00`, `100.00 EUR`. */
export function displayAmount(amountMinor: bigint, currency: Currency): string {
  const text = formatAmount(amountMinor, currency)
  return currency === 'USD' ? `$${text}` : `${text} ${currency}`
}
