// The merchant's own list of what it was told, and ours of what was owed.

import { attemptsMax } from '../server/src/core/retry-schedule.ts'
import type { Scene } from './checks.ts'
import { nameOf } from './merchant.ts'

export async function hookFindings(scene: Scene): Promise<string[]> {
  return [...(await deliveryFindings(scene)), ...(await untrueFindings(scene)), ...(await preSaleFindings(scene))]
}

async function deliveryFindings({ sql, merchant, merchantId }: Scene): Promise<string[]> {
  const rows = await sql<{ id: string; state: string; url: string; details: string; made: number }[]>`
    select d.id, d.state, p.url, e.details,
      (select count(*)::int from attempt a where a.merchant_id = d.merchant_id and a.delivery_id = d.id and not a.resend) as made
    from whole_delivery d join event e on e.merchant_id = d.merchant_id and e.id = d.event_id
      join hook_endpoint p on p.merchant_id = d.merchant_id and p.id = d.endpoint_id
    where d.merchant_id = ${merchantId}`
  return rows.flatMap(({ id, state, url, details, made }) => {
    const { pathname } = new URL(url)
    if (state === 'dropped') return made === attemptsMax ? [] : [`delivery ${id} was dropped after ${made} attempts`]
    if (state !== 'delivered') return [`delivery ${id} (${pathname}) is ${state}`]
    return merchant.accepted.has(nameOf(pathname, details)) ? [] : [`delivery ${id} (${pathname}) never arrived`]
  })
}

/** What the merchant was told has happened, and was signed with a key that was good then. */
async function untrueFindings({ sql, merchant, merchantId }: Scene): Promise<string[]> {
  const events = await sql<{ details: string }[]>`select details from event where merchant_id = ${merchantId}`
  const happened = new Set(events.map(({ details }) => nameOf('', details)))
  const withoutPath = (name: string) => name.slice(name.indexOf(' '))
  const untrue = [...merchant.accepted.keys()].filter(name => !happened.has(withoutPath(name)))
  return [
    ...untrue.map(name => `the merchant was told what never happened: ${name}`),
    ...merchant.disbelieved.map(why => `the merchant did not believe ${why}`),
  ]
}

async function preSaleFindings({ sql, merchant, merchantId }: Scene): Promise<string[]> {
  const begun = await sql<{ id: string }[]>`select id from transaction where merchant_id = ${merchantId}`
  const known = new Set(begun.map(({ id }) => id))
  return [...merchant.asked].flatMap(([transaction, times]) => [
    ...(times > 1 ? [`Pre-Sale was asked ${times} times about ${transaction}`] : []),
    ...(known.has(transaction) ? [] : [`Pre-Sale was asked about ${transaction}, which is not there`]),
  ])
}
