// How much was paid and how often it worked: now, against the time before, and over time.

import type { ReactNode } from 'react'
import type { HomeCurrency, HomeSales } from '../../../../server/src/console/contract/home.ts'
import { Card } from '../../parts/card.tsx'
import { BarChart, LineChart, type Point } from '../../parts/chart.tsx'
import { useShownMoney } from '../../parts/money.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { shownChange, shownPoints } from './compared.ts'
import { words } from './words.ts'

export function Figures({ sales, figures }: { readonly sales: HomeSales; readonly figures: HomeCurrency }) {
  const say = useWords(words)
  const { bars, line, tick, percent } = usePoints(sales, figures)
  const columns = (value: string) => [say.time, value] as const
  return (
    <section aria-label={say.figures} className="space-y-6">
      <Tiles figures={figures} percent={percent} />
      <div className="grid gap-6 lg:grid-cols-2">
        <Card title={say.volume} className="overflow-x-clip">
          <BarChart label={say.volume} points={bars} tick={tick} columns={columns(say.paid)} />
        </Card>
        <Card title={say.rateOverTime} className="overflow-x-clip">
          <LineChart label={say.rateOverTime} points={line} tick={percent} top={1} columns={columns(say.rate)} />
        </Card>
      </div>
    </section>
  )
}

function Tiles({ figures, percent }: { readonly figures: HomeCurrency; readonly percent: (rate: number) => string }) {
  const say = useWords(words)
  const money = useShownMoney()
  const { locale } = useLanguage()
  const { currency, before, success_rate: rate } = figures
  const change = (now: number, then: number) => shownChange(now, then, locale)
  const points = shownPoints(rate, before.success_rate, locale)
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line shadow-card lg:grid-cols-4">
      <Tile
        name={say.paid}
        value={money(figures.paid_amount, currency)}
        below={<Compared change={change(Number(figures.paid_amount), Number(before.paid_amount))} />}
      />
      <Tile
        name={say.payments}
        value={figures.paid_count.toLocaleString(locale)}
        below={<Compared change={change(figures.paid_count, before.paid_count)} />}
      />
      <Tile
        name={say.rate}
        value={rate === null ? '–' : percent(rate)}
        below={
          rate === null ? (
            say.noRate
          ) : (
            <>
              {say.failed(figures.failed_count)}
              {points !== null && (
                <>
                  {' · '}
                  <Compared change={say.beforePoints(points)} />
                </>
              )}
            </>
          )
        }
      />
      <Tile name={say.refunded} value={money(figures.refunded_amount, currency)} below={say.refundedHint} />
    </dl>
  )
}

interface TileProps {
  readonly name: string
  readonly value: string
  readonly below: ReactNode
}

function Tile({ name, value, below }: TileProps) {
  return (
    <div className="bg-surface px-4 py-4 sm:px-5">
      <dt className="text-soft">{name}</dt>
      <dd className="mt-1 text-xl font-semibold tracking-tight break-words tabular-nums sm:text-2xl">{value}</dd>
      <dd className="mt-1 text-xs text-soft">{below}</dd>
    </div>
  )
}

function Compared({ change }: { readonly change: string | null }) {
  const say = useWords(words)
  if (change === null) return say.noBefore
  if (!/[1-9]/.test(change)) return say.same
  return (
    <>
      <span className="font-medium text-ink">{change}</span> {say.before}
    </>
  )
}

function usePoints({ bucket }: HomeSales, { buckets, currency }: HomeCurrency) {
  const { locale } = useLanguage()
  const money = useShownMoney()
  const time = new Intl.DateTimeFormat(
    locale,
    bucket === 'hour' ? { hour: 'numeric' } : { month: 'short', day: 'numeric' },
  )
  const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })
  const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  const labelled = buckets.map(each => ({ ...each, label: time.format(new Date(each.at)) }))
  const bars = labelled.map(
    (each): Point => ({
      at: each.at,
      label: each.label,
      value: Number(each.paid_amount),
      shown: money(each.paid_amount, currency),
    }),
  )
  const line = labelled.map(({ at, label, paid_count, failed_count }): Point => {
    const all = paid_count + failed_count
    const value = all === 0 ? null : paid_count / all
    return { at, label, value, shown: value === null ? '–' : percents.format(value) }
  })
  return {
    bars,
    line,
    tick: (value: number) => compact.format(value),
    percent: (rate: number) => percents.format(rate),
  }
}
