// The inbox as a developer sees it, in a real browser.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { isAccessible } from './support/axe.ts'
import { InboxVisitor } from './support/inbox.ts'
import { until } from './support/until.ts'
import { type Visitor, withBrowser } from './support/visitor.ts'

const { service, test, visitor } = await withBrowser()

async function visit(t: TestContext, options: BrowserContextOptions = {}): Promise<Visitor> {
  const visit = await visitor(t, options)
  await visit.page.goto(String(service.demoSheet.inbox_url))
  return visit
}

async function charge(number?: string, more = {}): Promise<string> {
  const { demo } = service
  const card = await demo.storeCard(number, more)
  return (await demo.charge(demo.offer, card)).json.transaction.id
}

const itemOf = (page: Page, transaction: string) => page.locator('li', { hasText: transaction })

test('what is charged appears by itself, newest first, and a stranger’s text does nothing', async t => {
  const { page } = await visit(t)
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
})

test('without a script it is all there after a reload', async t => {
  const { page } = await visit(t, { javaScriptEnabled: false })
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
})

test('on a phone nothing is wider than the screen, and both colour schemes can be read', async t => {
  const [light, dark] = await Promise.all(
    (['light', 'dark'] as const).map(async colorScheme => {
      const { page } = await visit(t, { colorScheme, viewport: { width: 320, height: 640 } })
      for (const fold of await page.locator('summary').all()) await fold.click()
      const seen = await page.evaluate(`({
        wide: document.documentElement.scrollWidth,
        colours: ['color', 'backgroundColor'].map(name => getComputedStyle(document.body)[name]),
      })`)
      return seen as { wide: number; colours: string[] }
    }),
  )
  assert.deepEqual([light?.wide, dark?.wide], [320, 320])
  assert.notDeepEqual(light?.colours, dark?.colours)
})

test('a mail to a customer appears by itself beside the hooks, as it looks and as text, and its link opens', async t => {
  const { page, context } = await visit(t, { viewport: { width: 360, height: 640 } })
  await page.getByRole('link', { name: 'Mails to customers' }).click()
  await page.getByText('No mail has been written yet.').waitFor()
  await page.getByText('Live: what arrives appears here by itself.').waitFor()

  const evil = 'Bell <script>alert(1)</script><img src=x onerror=alert(2)>'
  const offer = await service.demo.makeOffer({ title: evil })
  const customer = await visitor(t)
  await customer.page.goto(`${service.baseUrl}/offers/${offer}?card=stored`)
  await customer.page.getByLabel('Email').fill('ada@example.com')
  await customer.page.getByRole('button', { name: 'Email me the link' }).click()

  const item = page.locator('li', { hasText: 'Your link to pay Demo' })
  await item.getByText('ada@example.com').waitFor()
  assert.equal(await page.getByText('No mail has been written yet.').count(), 0)
  const mail = page.frameLocator('iframe')
  await mail.getByRole('heading', { name: 'Continue your payment' }).waitFor()
  assert.ok((await mail.locator('body').innerText()).includes(evil))
  assert.equal(await mail.locator('script').count(), 0)
  await item.getByText('as text').click()
  assert.match(await item.locator('pre').innerText(), /\/offers\/\S+\?proof=[\w-]{43}\n/)
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
  await isAccessible(page, 'the mails')

  const opened = context.waitForEvent('page')
  await mail.getByRole('link', { name: 'Continue' }).click()
  const link = await opened
  await link.getByRole('button', { name: 'Yes, continue' }).waitFor()

  // The mail alone, as mail programs show it: where it is ours, no script runs in it, and so axe does not either.
  await link.goto('about:blank')
  await link.setContent((await new InboxVisitor(service).mailOf(1)).html)
  await isAccessible(link, 'the mail itself')
  await page.getByRole('link', { name: 'Hook inbox' }).click()
  await page.getByRole('heading', { name: 'Hook inbox' }).waitFor()
})

test('a lost connection is said, and taken up again', async t => {
  const { page, context, complaints } = await visit(t)
  await page.getByText('Live:').waitFor()
  // Whatever is in the page's way, not only a service that stopped.
  await page.route('**/items?*', route => route.abort())
  await service.restart()
  await page.getByText('The connection is lost.').waitFor()
  await page.unroute('**/items?*')
  await page.getByText('Live:').waitFor()
  const id = await charge()
  await itemOf(page, id).getByText('✓ signature verified').waitFor()
  // The browser tells of each request that came to nothing.
  await context.close()
  complaints.splice(0)
})
