// What a customer does on the page of an offer, and what came of it.

import type { Locator, Page } from 'playwright-core'
import type { TestService } from './service.ts'

export async function typeNames(page: Page, email = 'ada@example.com'): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('First name').fill('Ada')
}

export async function typeCard(page: Page, number: string): Promise<void> {
  await page.getByLabel('Card number').fill(number)
  await page.getByLabel('Expiry').fill('12/40')
  await page.getByLabel('Security code').fill('987')
}

export function payButton(page: Page): Locator {
  return page.getByRole('button', { name: /^Pay / })
}

export interface Payments {
  readonly statuses: readonly string[]
  /** That the gateway made. */
  readonly charges: number
}

export async function paymentsOf({ database: { sql } }: TestService, offer: string): Promise<Payments> {
  const rows = await sql<{ status: string }[]>`select status from transaction where offer_id = ${offer} order by id`
  const [row] = await sql<{ count: bigint }[]>`select count(distinct operation_id) from sandbox_entry e
    join transaction t on t.id = e.transaction_id where t.offer_id = ${offer} and e.kind = 'charge' and e.code is null`
  return { statuses: rows.map(({ status }) => status), charges: Number(row?.count) }
}
