import { useMe } from '../ask/me.tsx'
import { useLanguage } from '../words/language.tsx'
import { shownMoney } from '../words/shown-money.ts'

/** `amount`: decimal text, as the service says it. Without a currency it is the merchant's. */
export function Money({ amount, currency }: { readonly amount: string; readonly currency?: string }) {
  return <span className="whitespace-nowrap tabular-nums">{useShownMoney()(amount, currency)}</span>
}

/** For sentences and buttons: `money('10.00', 'USD')` */
export function useShownMoney(): (amount: string, currency?: string) => string {
  const { merchant } = useMe()
  const { locale } = useLanguage()
  return (amount, currency = merchant.currency) => shownMoney(amount, currency, locale)
}
