// How an offer sells.

import type { ReactNode } from 'react'
import type { OfferSales } from '../../../../server/src/console/contract/selling.ts'
import { useAsked } from '../../ask/use-asked.ts'
import { ButtonLink } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Money } from '../../parts/money.tsx'
import { When } from '../../parts/when.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { words } from './words-offer.ts'

export function useSales(id: string) {
  return useAsked<{ readonly sales: OfferSales }>(`offers/${id}/sales`)
}

export function SalesCard({ id }: { readonly id: string }) {
  const say = useWords(words)
  const link = (
    <ButtonLink small to="/transactions" search={{ offer: id } as never}>
      {say.transactions}
    </ButtonLink>
  )
  return (
    <Card title={say.sales} actions={link}>
      <Loaded shown={useSales(id)}>{({ sales }) => <Numbers sales={sales} />}</Loaded>
    </Card>
  )
}

function Numbers({ sales }: { readonly sales: OfferSales }) {
  const say = useWords(words)
  const { locale } = useLanguage()
  const { currency, at_least, last_sale_at, stock } = sales
  const count = (number: number) => `${number.toLocaleString(locale)}${at_least ? '+' : ''}`
  return (
    <>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-4">
        <Figure name={say.paid}>
          <Money amount={sales.amount} currency={currency} />
        </Figure>
        <Figure name={say.sold}>{count(sales.sold)}</Figure>
        <Figure name={say.units}>{count(sales.units)}</Figure>
        <Figure name={say.failed}>{count(sales.failed)}</Figure>
        <Figure name={say.refunded}>
          <Money amount={sales.refunded} currency={currency} />
        </Figure>
        <Figure name={say.reserved}>
          <Money amount={sales.reserved} currency={currency} />
        </Figure>
        <Figure name={say.stock}>{stock === null ? say.noLimit : stock.toLocaleString(locale)}</Figure>
        <Figure name={say.lastSale}>{last_sale_at === null ? say.never : <When at={last_sale_at} />}</Figure>
      </dl>
      {at_least && <p className="mt-3 text-soft">{say.atLeast}</p>}
    </>
  )
}

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-[0.8125rem] text-soft">{name}</dt>
      <dd className="mt-0.5 text-base font-semibold break-words tabular-nums">{children}</dd>
    </div>
  )
}
