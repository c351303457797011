// Joins the dashboard's first page to the rows. All of it is worked out together and kept for a while where that was slow:
// with a million transactions it takes a second or two, and may then be as old as a quarter of a minute or so.

import type { HomeFacts, HomePorts } from './console/home.ts'
import type { Foundation } from './foundation.ts'
import { keptAWhile } from './observe/kept-a-while.ts'
import { countMax, findAttention, findFirstSteps, findUntold, hookHealth } from './store/home-needs.ts'
import { findMerchant } from './store/merchants.ts'
import { salesByTime } from './store/sales-by-time.ts'

type Facts = HomePorts['home']['facts']

export function homePorts(foundation: Foundation): HomePorts {
  const kept = keptAWhile<HomeFacts | 'no such zone'>()
  return {
    home: {
      facts: (merchantId, asked) =>
        kept(`${merchantId} ${asked.range} ${asked.timeZone}`, () => factsOf(foundation, merchantId, asked)),
    },
  }
}

async function factsOf(
  { sql, clock }: Foundation,
  merchantId: Parameters<Facts>[0],
  asked: Parameters<Facts>[1],
): ReturnType<Facts> {
  const at = clock.now()
  const sales = await salesByTime(sql, merchantId, { ...asked, now: at })
  if (sales === 'no such zone') return sales
  const [merchant, hooks, untold, attention, steps] = await Promise.all([
    findMerchant(sql, merchantId),
    hookHealth(sql, merchantId, at),
    findUntold(sql, merchantId),
    findAttention(sql, merchantId, at),
    findFirstSteps(sql, merchantId),
  ])
  if (merchant === null) throw new Error(`merchant ${merchantId} is gone`)
  return { currency: merchant.currency, sales, hooks, untold, attention, steps, countMax, at }
}
