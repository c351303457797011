// What axe finds wrong with a page: whatever keeps somebody from reading or using it.

import assert from 'node:assert/strict'
import axe, { type AxeResults, type RunOnly } from 'axe-core'
import type { Page } from 'playwright-core'

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** By day and by night, when only colours differ. A gateway's own fields, which are in a frame, are its own affair. */
export async function isAccessible(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('load')
  // Over the debugger's wire: the page's policy lets no such script in.
  await page.evaluate(axe.source)
  await page.emulateMedia({ colorScheme: 'light' })
  assert.deepEqual(await violationsOf(page, { type: 'tag', values: tags }), [], name)
  await page.emulateMedia({ colorScheme: 'dark' })
  assert.deepEqual(await violationsOf(page, { type: 'rule', values: ['color-contrast'] }), [], `${name}, by night`)
  await page.emulateMedia({ colorScheme: null })
}

/** For what others draw, and we only colour: everything can be read, in the colours that it has now. */
export async function canBeRead(page: Page, name: string): Promise<void> {
  await page.evaluate(axe.source)
  assert.deepEqual(await violationsOf(page, { type: 'rule', values: ['color-contrast'] }), [], name)
}

async function violationsOf(page: Page, runOnly: RunOnly): Promise<string[]> {
  const options = { runOnly, resultTypes: ['violations'], iframes: false }
  const { violations } = await page.evaluate<Pick<AxeResults, 'violations'>>(
    `axe.run(document, ${JSON.stringify(options)})`,
  )
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id}: ${help}\n  ${target.join(' ')}\n  ${failureSummary}`),
  )
}
