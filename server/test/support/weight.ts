// What a page weighs: all that the browser reads for it from its own origin, unpacked, whether it was fetched or kept.

import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

const pageBytesMax = 100_000

interface Part {
  readonly name: string
  readonly decodedBodySize: number
}

export async function isLight(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('load')
  const all = await page.evaluate<Part[]>(
    `['navigation', 'resource'].flatMap(type => performance.getEntriesByType(type)).map(entry => entry.toJSON())`,
  )
  const { origin } = new URL(page.url())
  const own = all.filter(part => part.name.startsWith(`${origin}/`))
  const bytes = own.reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0)
  const parts = own.map(part => `${part.name} ${part.decodedBodySize}`).join('\n')
  assert.ok(
    own.every(({ decodedBodySize }) => decodedBodySize > 0),
    `a part of ${name} is not known:\n${parts}`,
  )
  assert.ok(bytes < pageBytesMax, `${name} weighs ${bytes}:\n${parts}`)
}
