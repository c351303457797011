// Joins the dashboard's first page to the rows. What may need somebody is asked apart from what was sold, which is kept for a
// while where it was slow to work out: with a million transactions it takes a second or two, and may then be as old as a
// quarter of a minute or so.

import type { HomeFacts, HomePorts, SalesFacts } from './console/home.ts'
import type { MerchantId } from './core/ids.ts'
import type { Foundation } from './foundation.ts'
import { keptAWhile } from './observe/kept-a-while.ts'
import { oneAfterTheOther } from './observe/one-after-the-other.ts'
import { findAttention, findFirstSteps, findUntold, hookHealth } from './store/home-needs.ts'
import { findMerchant } from './store/merchants.ts'
import { salesByTime } from './store/sales-by-time.ts'
import { countMax } from './store/sales-in-need.ts'

type AskedSales = Parameters<HomePorts['home']['sales']>[1]

export function homePorts(foundation: Foundation): HomePorts {
  const keptFacts = keptAWhile<HomeFacts>()
  const keptSales = keptAWhile<SalesFacts | 'no such zone'>()
  // Whatever ranges and zones are asked for at once: the connections are there for payments.
  const inLine = oneAfterTheOther()
  return {
    home: {
      facts: merchantId => keptFacts(merchantId, () => factsOf(foundation, merchantId)),
      sales: (merchantId, asked) =>
        keptSales(`${merchantId} ${asked.range} ${asked.timeZone}`, () =>
          inLine(merchantId, () => salesOf(foundation, merchantId, asked)),
        ),
    },
  }
}

async function factsOf({ sql, clock }: Foundation, merchantId: MerchantId): Promise<HomeFacts> {
  const at = clock.now()
  const [hooks, untold, attention, steps] = await Promise.all([
    hookHealth(sql, merchantId, at),
    findUntold(sql, merchantId),
    findAttention(sql, merchantId, at),
    findFirstSteps(sql, merchantId),
  ])
  return { hooks, untold, attention, steps, countMax }
}

async function salesOf({ sql, clock }: Foundation, merchantId: MerchantId, asked: AskedSales) {
  const at = clock.now()
  const [merchant, sales] = await Promise.all([
    findMerchant(sql, merchantId),
    salesByTime(sql, merchantId, { ...asked, now: at }),
  ])
  if (merchant === null) throw new Error(`merchant ${merchantId} is gone`)
  return sales === 'no such zone' ? sales : { currency: merchant.currency, sales, at }
}
