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
import type { Home, HomeAttention, HomeCurrency, HomeFigures, HomeHooks, HomeUntold } from './contract/home.ts'

export interface HomeFacts {
  readonly currency: Currency
  readonly sales: SalesByTime
  readonly hooks: HookHealth
  readonly untold: Untold
  readonly attention: Attention
  readonly steps: FirstSteps
  readonly countMax: number
  readonly at: Date
}

export interface HomePorts {
  readonly home: {
    facts(
      merchantId: MerchantId,
      asked: { readonly range: HomeRange; readonly timeZone: string },
    ): Promise<HomeFacts | 'no such zone'>
  }
}

const homeQuery = Type.Object({
  range: Type.Optional(oneOfField(Object.keys(homeRanges) as HomeRange[], 'How far back; 7d by default.')),
  time_zone: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_+/-]{1,64}$',
      says: 'must be the name of a time zone such as "America/Chicago".',
      description: 'Where its days begin; UTC by default.',
    }),
  ),
})

export function homeRoutes(app: FastifyInstance, { home }: HomePorts): void {
  app.get<{ Querystring: Static<typeof homeQuery> }>(
    '/home',
    { config: { needs: 'viewer' }, schema: { querystring: homeQuery } },
    async (request, reply) => {
      const { range = '7d', time_zone: timeZone = 'UTC' } = request.query
      const facts = await home.facts(callerOf(request).merchantId, { range, timeZone })
      if (facts === 'no such zone') throw new ApiError(422, { time_zone: 'time_zone is not known.' })
      return reply.send(answerText({ home: { ...homeView({ range, timeZone }, facts) } }))
    },
  )
}

function homeView(asked: { readonly range: HomeRange; readonly timeZone: string }, facts: HomeFacts): Home {
  const { sales, at, currency } = facts
  return {
    range: asked.range,
    time_zone: asked.timeZone,
    bucket: asked.range === '24h' ? 'hour' : 'day',
    from: isoTime(sales.starts[sales.starts.length / 2] ?? at),
    to: isoTime(at),
    currencies: figuresByCurrency(sales, currency).map(currencyView),
    hooks: hooksView(facts.hooks),
    untold: untoldView(facts.untold),
    attention: attentionView(facts.attention, facts.countMax),
    steps: facts.steps,
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

function untoldView({ count, amounts, first, andMore }: Untold): HomeUntold {
  const amountOf = ({ currency, amountMinor }: { readonly currency: Currency; readonly amountMinor: bigint }) => ({
    currency,
    amount: formatAmount(amountMinor, currency),
  })
  return {
    count,
    amounts: amounts.map(amountOf),
    transactions: first.map(sale => ({ id: sale.id, created_at: isoTime(sale.createdAt), ...amountOf(sale) })),
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
