// How much was paid and how often it worked: now, against the time before, and over time.

import type { ReactNode } from 'react'
import type { HomeCurrency, HomeRange, HomeSales } from '../../../../server/src/console/contract/home.ts'
import { Card } from '../../parts/card.tsx'
import { BarChart, LineChart, type Point } from '../../parts/chart.tsx'
import { useShownMoney } from '../../parts/money.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { type Change, changeOf, pointsOf } from './compared.ts'
import { words } from './words.ts'

export function Figures({ sales, figures }: { readonly sales: HomeSales; readonly figures: HomeCurrency }) {
  const say = useWords(words)
  const { bars, line, tick, percent } = usePoints(sales, figures)
  const columns = (value: string) => [say.time, value] as const
  const isEmpty = figures.paid_count + figures.failed_count === 0
  const nothing = <p className="text-soft">{say.noneInRange}</p>
  return (
    <section aria-label={say.figures} className="space-y-6">
      <Tiles figures={figures} range={sales.range} percent={percent} />
      <div className="grid gap-6 lg:grid-cols-2">
        <Card title={say.volume} className="overflow-x-clip">
          {isEmpty ? nothing : <BarChart label={say.volume} points={bars} tick={tick} columns={columns(say.paid)} />}
        </Card>
        <Card title={say.rateOverTime} className="overflow-x-clip">
          {isEmpty ? (
            nothing
          ) : (
            <LineChart label={say.rateOverTime} points={line} tick={percent} top={1} columns={columns(say.rate)} />
          )}
        </Card>
      </div>
    </section>
  )
}

interface TilesProps {
  readonly figures: HomeCurrency
  readonly range: HomeRange
  readonly percent: (rate: number) => string
}

function Tiles({ figures, range, percent }: TilesProps) {
  const say = useWords(words)
  const money = useShownMoney()
  const { locale } = useLanguage()
  const { currency, before, success_rate: rate } = figures
  const compared = (now: number, then: number) => <Compared range={range} change={changeOf(now, then, locale)} />
  const points = pointsOf(rate, before.success_rate, locale)
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line shadow-card lg:grid-cols-4">
      <Tile
        name={say.paid}
        value={money(figures.paid_amount, currency)}
        below={compared(Number(figures.paid_amount), Number(before.paid_amount))}
      />
      <Tile
        name={say.payments}
        value={figures.paid_count.toLocaleString(locale)}
        below={compared(figures.paid_count, before.paid_count)}
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
              {points.kind !== 'none' && (
                <>
                  {' · '}
                  <Compared range={range} change={inPoints(points, say.points)} />
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

function inPoints(change: Change, points: (by: string) => string): Change {
  return 'by' in change ? { ...change, by: points(change.by) } : change
}

function Compared({ change, range }: { readonly change: Change; readonly range: HomeRange }) {
  const say = useWords(words)
  const before = say.before[range]
  switch (change.kind) {
    case 'none':
      return say.noBefore(before)
    case 'same':
      return say.same(before)
    default:
      return say[change.kind](change.by, before)
  }
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
