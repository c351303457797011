// What a merchant looks at first.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import {
  type Attention,
  type CurrencyFigures,
  type Figures,
  type FirstSteps,
  figuresByCurrency,
  type HomeRange,
  type HookHealth,
  homeRanges,
  type SalesByTime,
  successRate,
  type Untold,
} from '../core/home.ts'
import type { MerchantId } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import { type Currency, formatAmount } from '../core/money.ts'
import { isoTime } from '../core/sale.ts'
import { callerOf } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { oneOfField } from '../http/fields.ts'
import { Type } from '../http/schema.ts'
import type {
  Home,
  HomeAttention,
  HomeCurrency,
  HomeFigures,
  HomeHooks,
  HomeSales,
  HomeUntold,
} from './contract/home.ts'

export interface HomeFacts {
  readonly hooks: HookHealth
  readonly untold: Untold
  readonly attention: Attention
  readonly steps: FirstSteps
  readonly countMax: number
}

export interface SalesFacts {
  /** The merchant's own. */
  readonly currency: Currency
  readonly sales: SalesByTime
  readonly at: Date
}

export interface HomePorts {
  readonly home: {
    facts(merchantId: MerchantId): Promise<HomeFacts>
    /** `timeZone` by the name that all its names have in common. */
    sales(merchantId: MerchantId, asked: AskedSales): Promise<SalesFacts | 'no such zone'>
  }
}

interface AskedSales {
  readonly range: HomeRange
  readonly timeZone: string
}

const salesQuery = Type.Object({
  range: Type.Optional(oneOfField(Object.keys(homeRanges) as HomeRange[], 'How far back; 7d by default.')),
  time_zone: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z][A-Za-z0-9_+/-]{1,63}$',
      says: 'must be the name of a time zone such as "America/Chicago".',
      description: 'Where its days begin; UTC by default.',
    }),
  ),
})

export function homeRoutes(app: FastifyInstance, { home }: HomePorts): void {
  app.get('/home', { config: { needs: 'viewer' } }, async (request, reply) =>
    reply.send(answerText({ home: { ...homeView(await home.facts(callerOf(request).merchantId)) } })),
  )

  app.get<{ Querystring: Static<typeof salesQuery> }>(
    '/home/sales',
    { config: { needs: 'viewer' }, schema: { querystring: salesQuery } },
    async (request, reply) => {
      const { range = '7d', time_zone: asked = 'UTC' } = request.query
      const timeZone = zoneNamed(asked)
      const facts =
        timeZone === null ? 'no such zone' : await home.sales(callerOf(request).merchantId, { range, timeZone })
      if (facts === 'no such zone') throw new ApiError(422, { time_zone: 'time_zone is not known.' })
      return reply.send(answerText({ sales: { ...salesView({ range, timeZone: asked }, facts) } }))
    },
  )
}

/** The database knows zones of any name that one makes up, and each would be worked out anew. */
function zoneNamed(name: string): string | null {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return null
  }
}

function homeView({ hooks, untold, attention, steps, countMax }: HomeFacts): Home {
  return {
    hooks: hooksView(hooks),
    untold: untoldView(untold),
    attention: attentionView(attention, countMax),
    steps,
  }
}

function salesView(asked: AskedSales, { sales, at, currency }: SalesFacts): HomeSales {
  return {
    range: asked.range,
    time_zone: asked.timeZone,
    bucket: asked.range === '24h' ? 'hour' : 'day',
    from: isoTime(sales.starts[sales.starts.length / 2] ?? at),
    to: isoTime(at),
    currencies: figuresByCurrency(sales, currency).map(currencyView),
  }
}

function currencyView({ currency, total, before, buckets }: CurrencyFigures): HomeCurrency {
  return {
    currency,
    ...figuresView(total, currency),
    success_rate: successRate(total),
    before: { ...figuresView(before, currency), success_rate: successRate(before) },
    buckets: buckets.map(bucket => ({ at: isoTime(bucket.at), ...figuresView(bucket, currency) })),
  }
}

function figuresView({ paidMinor, paidCount, refundedMinor, failedCount }: Figures, currency: Currency): HomeFigures {
  return {
    paid_amount: formatAmount(paidMinor, currency),
    paid_count: paidCount,
    refunded_amount: formatAmount(refundedMinor, currency),
    failed_count: failedCount,
  }
}

const timeOrNull = (time: Date | null) => (time === null ? null : isoTime(time))

function hooksView(health: HookHealth): HomeHooks {
  const { delivered, failed, waiting, oldestWaitingAt, endpointsEnabled, endpointsPaused } = health
  return {
    delivered,
    failed,
    waiting,
    oldest_waiting_at: timeOrNull(oldestWaitingAt),
    endpoints_enabled: endpointsEnabled,
    endpoints_paused: endpointsPaused,
  }
}

function untoldView({ count, amounts, first, cause, andMore }: Untold): HomeUntold {
  const amountOf = ({ currency, amountMinor }: { readonly currency: Currency; readonly amountMinor: bigint }) => ({
    currency,
    amount: formatAmount(amountMinor, currency),
  })
  return {
    count,
    amounts: amounts.map(amountOf),
    transactions: first.map(sale => ({ id: sale.id, created_at: isoTime(sale.createdAt), ...amountOf(sale) })),
    cause,
    and_more: andMore,
  }
}

function attentionView({ inDoubt, paused, dropped, disputesOpen }: Attention, countMax: number): HomeAttention {
  return {
    in_doubt: { count: inDoubt.count, oldest_at: timeOrNull(inDoubt.oldestAt), for_person: inDoubt.forPerson },
    paused: paused.map(({ id, kind, url, pausedBecause, failingSince }) => ({
      id,
      kind,
      url,
      because: pausedBecause,
      failing_since: timeOrNull(failingSince),
    })),
    dropped: { count: dropped.count, since: isoTime(dropped.since) },
    disputes: { count: disputesOpen },
    count_max: countMax,
  }
}
