// A storm from its beginning to its report.

import { startDns } from '../server/test/support/dns-server.ts'
import { startRelay } from '../server/test/support/mail-relay.ts'
import { answersOf, domain } from '../server/test/support/mailbox.ts'
import { chanceOf } from './chance.ts'
import { logFindings } from './check-logs.ts'
import { findingsOf } from './checks.ts'
import { settleHooks, settleMoney, wellFindings } from './drain.ts'
import { createStorm } from './faults.ts'
import { currentKey, type Furnished, furnish, mailDomain } from './furnish.ts'
import { type House, openHouse } from './house.ts'
import { planOf } from './plan.ts'

export interface Report {
  readonly seed: number
  readonly seconds: number
  readonly faults: { readonly [kind: string]: number }
  readonly payments: number
  readonly refunds: number
  readonly mails: number
  readonly notifications: number
  readonly attempts: number
  readonly dropped: number
  readonly preSales: number
  readonly findings: readonly string[]
}

/** `end`: all that a storm has opened; whoever ends a storm before its time disposes of it. */
export async function weather(
  seed: number,
  lastsMs: number,
  say: (line: string) => void,
  end = new AsyncDisposableStack(),
): Promise<Report> {
  try {
    const buyersDomain = domain('example.org')
    const dns = await startDns(answersOf(buyersDomain))
    end.defer(dns.close)
    const relay = await startRelay()
    end.defer(relay.close)
    const house = await openHouse(
      { TILLBELL_DNS: dns.address, TILLBELL_MAIL_DOMAIN: mailDomain, TILLBELL_REQUESTS_PER_S: '100000' },
      end,
    )
    house.line('relay').leadTo(relay.port)
    const furnished = await furnish(house, seed, buyersDomain, end)
    const beganMs = performance.now()
    const passed = () => Math.round((performance.now() - beganMs) / 1_000)
    const tell = (line: string) => say(`${passed()} s: ${line}`)
    const faults = await blow(house, furnished, seed, lastsMs)
    tell('the storm is over; whoever was in it must be well again.')
    const unwell = await wellFindings(house)
    const mailed = () => relay.mails.flatMap(({ to }) => to)
    // Where somebody is not well, nothing behind it comes to its end, and its reason would be lost in what follows from it.
    const rest =
      unwell.length > 0
        ? logFindings(house.logged())
        : [
            ...(await drain(house, furnished, tell)),
            ...(await findingsOf({ ...house, ...furnished, mailed: mailed() })),
          ]
    const findings = [...house.troubles, ...unwell, ...rest]
    return { seed, seconds: passed(), faults, ...(await counted(house, furnished)), findings }
  } finally {
    await end.disposeAsync()
  }
}

async function blow(house: House, furnished: Furnished, seed: number, lastsMs: number): Promise<Report['faults']> {
  const { customers, merchant } = furnished
  const storm = createStorm({ house, ...furnished })
  const trading = customers.trade()
  await Promise.all([
    trading,
    storm.blow(planOf(chanceOf(seed, 'plan'), lastsMs)).finally(() => {
      customers.goHome()
      merchant.recover()
    }),
  ])
  return Object.fromEntries(storm.done)
}

/** What did not come to its end. */
async function drain(house: House, furnished: Furnished, tell: (line: string) => void): Promise<string[]> {
  const { customers, merchant, merchantId } = furnished
  tell('what is under way is settled.')
  const unsettled = await settleMoney(house)
  tell('all money is where it belongs; customers ask once more for everything.')
  await customers.askAgain(120_000)
  tell('days pass until no hook is owed any more.')
  merchant.believeOnly(await currentKey(house, merchantId))
  const owed = await settleHooks(house, tell)
  tell('everything is compared.')
  return [...unsettled, ...owed]
}

async function counted({ sql }: House, { customers, merchant }: Furnished) {
  const [rows] = await sql<{ notifications: number; attempts: number; dropped: number }[]>`
    select (select count(*)::int from delivery) as notifications, (select count(*)::int from attempt) as attempts,
      (select count(*)::int from whole_delivery where state = 'dropped') as dropped`
  const wished = (path: string) => customers.wishes.filter(wish => wish.path === path).length
  return {
    payments: wished('transactions'),
    refunds: wished('transactions/refunds'),
    mails: customers.letters.filter(({ isTaken }) => isTaken).length,
    preSales: merchant.asked.size,
    ...(rows ?? { notifications: 0, attempts: 0, dropped: 0 }),
  }
}
