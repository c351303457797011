// Where a proxy serves the service under a path, the dashboard is there as well.

import assert from 'node:assert/strict'
import { after } from 'node:test'
import { answered } from './support/answers.ts'
import { signInByHand } from './support/dashboard.ts'
import { startPathProxy } from './support/path-proxy.ts'
import { until } from './support/until.ts'
import { withBrowser } from './support/visitor.ts'

const proxy = await startPathProxy('/till')
const { service, test, visitor } = await withBrowser({
  TILLBELL_PORT: String(proxy.port),
  TILLBELL_BASE_URL: proxy.baseUrl,
})
after(() => proxy.close())

test('a merchant signs in, looks about, comes back by a link, and asks for nothing outside of the path', async t => {
  const shop = await service.newMerchant()
  const offer = await shop.makeOffer({ title: 'Brass bell' })
  const { id } = answered(await shop.charge(offer, await shop.storeCard()), 200).json.transaction
  const { page, complaints } = await visitor(t, { locale: 'en-US' })
  await signInByHand(page, service.baseUrl, shop.login)
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  // That nobody had signed in yet.
  assert.deepEqual(
    complaints.splice(0).map(text => /status of (\d+)/.exec(text)?.[1]),
    ['401'],
  )

  await page.getByRole('link', { name: 'Transactions' }).first().click()
  await page.waitForURL(`${service.baseUrl}/dashboard/transactions`)
  await page.reload()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export as CSV' }).click()
  assert.equal(await (await download).failure(), null)
  await page.goto(`${service.baseUrl}/dashboard/transactions/${id}`)
  await page.getByRole('region', { name: 'What happened' }).waitFor()

  await page.goto(`${service.baseUrl}/dashboard/offers/${offer}`)
  await page.frameLocator('iframe[title="Preview of the button"]').getByText('Pay $100.00').waitFor()
  const qr = page.getByRole('img', { name: 'QR code of the payment page of Brass bell' })
  await until('the code is drawn', () =>
    qr.evaluate(image => (image as unknown as { readonly naturalWidth: number }).naturalWidth > 0),
  )
  await page.goto(`${service.baseUrl}/dashboard/mail-settings`)
  await page.frameLocator('iframe').first().getByText('A sample of what you sell').first().waitFor()
  assert.deepEqual(proxy.strays, [])
})
