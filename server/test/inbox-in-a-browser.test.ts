// The inbox as a developer sees it, in a real browser.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { openBrowser } from './support/browser.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

let service: TestService
let opened: { readonly browser: Browser; close(): Promise<void> } | null
before(async () => {
  service = await startTestService()
  opened = await openBrowser()
})
after(async () => {
  await opened?.close()
  await service.stop()
})

/** The page, and whatever the browser complains about. */
async function visit(browser: Browser, options: BrowserContextOptions = {}) {
  const page = await browser.newPage(options)
  const complaints: string[] = []
  page.on('console', message => void complaints.push(message.text()))
  page.on('pageerror', error => void complaints.push(String(error)))
  page.on('dialog', dialog => {
    complaints.push(dialog.message())
    return dialog.dismiss()
  })
  await page.goto(String(service.demoSheet.inbox_url))
  return { page, complaints }
}

async function charge(number?: string, more = {}): Promise<string> {
  const { demo } = service
  const card = await demo.storeCard(number, more)
  return (await demo.charge(demo.offer, card)).json.transaction.id
}

const itemOf = (page: Page, transaction: string) => page.locator('li', { hasText: transaction })

test('what is charged appears by itself, newest first, and a stranger’s text does nothing', async t => {
  if (opened === null) return t.skip('there is no browser')
  const { page, complaints } = await visit(opened.browser)
  await page.getByText('Nothing has arrived yet.').waitFor()
  await page.getByText('Live: what arrives appears here by itself.').waitFor()

  const evil = '<script>alert(1)</script><img src=x onerror=alert(2)>'
  const first = await charge(undefined, { first_name: 'Zoë', last_name: evil })
  const item = itemOf(page, first)
  await item.getByText('✓ signature verified').waitFor()
  assert.equal(await page.getByText('Nothing has arrived yet.').count(), 0)
  assert.ok((await item.innerText()).includes(`Zoë ${evil}`))
  assert.equal(await item.locator('.kind').innerText(), 'Transaction')
  assert.equal(await item.locator('strong').innerText(), '100.00')
  assert.equal(await item.locator('pre').isVisible(), false)
  await item.getByText('details', { exact: true }).click()
  assert.match(await item.locator('pre').innerText(), /"type": "success"/)

  const second = await charge('4012888888881881')
  await itemOf(page, second).getByText('The card was declined.', { exact: true }).waitFor()
  assert.deepEqual(await page.locator('li .kind').allInnerTexts(), ['Error', 'Transaction'])
  assert.equal(await item.locator('pre').isVisible(), true, 'what was opened stays open')
  assert.deepEqual(complaints, [])
  await page.close()
})

test('without a script it is all there after a reload', async t => {
  if (opened === null) return t.skip('there is no browser')
  const { page, complaints } = await visit(opened.browser, { javaScriptEnabled: false })
  const before = await page.locator('li').count()
  await page.getByText('Reload to see what has arrived since.').waitFor()
  const id = await charge()
  await until('it has arrived', async () => {
    await page.reload()
    return (await itemOf(page, id).count()) === 1
  })
  assert.equal(await page.locator('li').count(), before + 1)
  assert.ok(await itemOf(page, id).getByText('✓ signature verified').isVisible())
  await itemOf(page, id).getByText('details', { exact: true }).click()
  assert.ok(await itemOf(page, id).locator('pre').isVisible())
  assert.deepEqual(complaints, [])
  await page.close()
})

test('on a phone nothing is wider than the screen, and both colour schemes can be read', async t => {
  if (opened === null) return t.skip('there is no browser')
  const [light, dark] = await Promise.all(
    (['light', 'dark'] as const).map(async colorScheme => {
      const { page } = await visit(opened?.browser as Browser, { colorScheme, viewport: { width: 320, height: 640 } })
      for (const fold of await page.locator('summary').all()) await fold.click()
      const seen = await page.evaluate(`({
        wide: document.documentElement.scrollWidth,
        colours: ['color', 'backgroundColor'].map(name => getComputedStyle(document.body)[name]),
      })`)
      await page.close()
      return seen as { wide: number; colours: string[] }
    }),
  )
  assert.deepEqual([light?.wide, dark?.wide], [320, 320])
  assert.notDeepEqual(light?.colours, dark?.colours)
})

test('a lost connection is said, and taken up again', async t => {
  if (opened === null) return t.skip('there is no browser')
  const { page } = await visit(opened.browser)
  await page.getByText('Live:').waitFor()
  // Whatever is in the page's way, not only a service that stopped.
  await page.route('**/items?*', route => route.abort())
  await service.restart()
  await page.getByText('The connection is lost.').waitFor()
  await page.unroute('**/items?*')
  await page.getByText('Live:').waitFor()
  const id = await charge()
  await itemOf(page, id).getByText('✓ signature verified').waitFor()
  await page.close()
})
