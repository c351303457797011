// A merchant looks after hooks at the dashboard, in a real browser: reads why one failed, mends the endpoint, sends it again.

import assert from 'node:assert/strict'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { verifyHook } from '@tillbell/sdk'
import type { Page } from 'playwright-core'
import { isAccessible } from './support/axe.ts'
import { atDashboard, signInByHand } from './support/dashboard.ts'
import { isWiderThanTheScreen, withBrowser } from './support/visitor.ts'

const browser = await withBrowser()
const { service, test, visitor } = browser
const { demo, demoSheet } = service
const login = demoSheet.dashboard

/** The merchant's application: it takes true hooks at /hooks, everything at /credulous, and has nothing elsewhere. */
const app = http.createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  if (request.url === '/credulous') return void response.writeHead(200).end('thanks')
  if (request.url !== '/hooks') return void response.writeHead(404).end('Cannot POST /hoooks')
  const form = new URLSearchParams(Buffer.concat(chunks).toString())
  const isTrue = verifyHook(form.get('details') ?? '', form.get('signature') ?? '', demoSheet.private_key)
  response.writeHead(isTrue ? 200 : 403).end()
})
await new Promise<void>(resolve => app.listen(0, '127.0.0.1', resolve))
const appUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}`
after(() => app.close())

/** For everybody, on a phone as well. */
async function isGood(page: Page, name: string): Promise<void> {
  await isAccessible(page, name)
  const wide = page.viewportSize() ?? { width: 1280, height: 720 }
  await page.setViewportSize({ width: 360, height: 720 })
  assert.equal(await isWiderThanTheScreen(page), false, `${name} on a phone`)
  await page.setViewportSize(wide)
}

/** A browser complains of each refusal: these were expected. */
function refusalsOf(complaints: string[], count: number): void {
  const refusals = complaints.splice(0)
  assert.equal(refusals.filter(each => /status of 4\d\d/.test(each)).length, count, refusals.join())
  assert.equal(refusals.length, count, refusals.join())
}

test('from signing in to reading why a hook failed, mending the endpoint, and sending it again', async t => {
  await demo.ask('hook_endpoints', { form: { kind: 'transaction', url: `${appUrl}/hoooks` } })
  const { json } = await demo.charge(demo.offer, demo.card)
  const { page, complaints } = await visitor(t, { locale: 'en-US' })
  await signInByHand(page, service.baseUrl, login)
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Deliveries' }).click()
  await page.getByLabel('State').selectOption('Pending')
  const row = page.getByRole('row', { name: /hoooks/ })
  await row.getByText('Pending').waitFor()
  await isGood(page, 'the list of deliveries')
  await row.getByRole('link').first().click()
  await page.getByRole('heading', { name: 'There is nothing at that path that takes a POST' }).waitFor()
  await page.getByText('The endpoint answered 404.').first().waitFor()
  await page.getByText('Cannot POST /hoooks').waitFor()
  await page.getByText(/The next attempt is due in \d+ minutes/).waitFor()
  assert.ok(await page.getByText(`"transaction": "${json.transaction.id}"`).isVisible())
  await isGood(page, 'one delivery')
  const delivery = page.url()

  await page.goto(`${service.baseUrl}/dashboard/api-settings`)
  await page.getByText('The last hook failed: There is nothing at that path').waitFor()
  await isGood(page, 'the endpoints')
  await page.getByRole('button', { name: `More for ${appUrl}/hoooks` }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('URL').fill(`${appUrl}/hooks`)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The endpoint was changed.').waitFor()

  const { json: list } = await demo.ask('hook_endpoints')
  const { id } = list.find((each: { url: string }) => each.url === `${appUrl}/hooks`)
  await demo.ask(`hook_endpoints/${id}`, { method: 'PATCH', form: { status: 'paused' } })
  await page.goto(delivery)
  await page.getByRole('button', { name: 'Resume the endpoint' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click()
  await page.getByText('The endpoint is resumed. What waited').waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Send again' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click()
  await page.getByText('Your endpoint accepted it.').waitFor()
  await page.getByText('Sent again by hand').waitFor()
  assert.equal(await page.getByText('There is nothing at that path').count(), 1, 'only at the attempt that failed')
  refusalsOf(complaints, 1)
})

test('an endpoint is added, tried and checked; what it was owed is sent again with a count and a bar', async t => {
  const { open, page, complaints } = await atDashboard(browser, t, login)
  await open('api-settings')
  await page.getByRole('button', { name: 'Add endpoint: Error' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('URL').fill('nowhere')
  await dialog.getByRole('button', { name: 'Add endpoint' }).click()
  await dialog.getByText(/^URL must/).waitFor()
  refusalsOf(complaints, 1)
  await dialog.getByLabel('URL').fill(`${appUrl}/credulous`)
  await isAccessible(page, 'the form of an endpoint')
  await dialog.getByRole('button', { name: 'Add endpoint' }).click()
  const card = page.getByRole('region', { name: 'Error' })
  await card.getByText(`${appUrl}/credulous`).waitFor()
  await card.getByRole('button', { name: 'Send test' }).click()
  await dialog.getByText(/Your endpoint accepted the test: 200/).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await card.getByText('Accepted the last hook (200)').waitFor()

  await card.getByRole('button', { name: `More for ${appUrl}/credulous` }).click()
  await page.getByRole('button', { name: 'Check my endpoint' }).click()
  await dialog.getByRole('button', { name: 'Check it now' }).click()
  await dialog.getByText('3 things are wrong.').waitFor()
  await dialog
    .getByText(/It believes what is forged/)
    .first()
    .waitFor()
  await isGood(page, 'the report of a check')
  await dialog.getByRole('button', { name: 'Close' }).click()

  await open('deliveries?state=to_resend')
  await page.getByText('No delivery fits these filters').waitFor()
  await open('deliveries?state=delivered')
  await page.getByLabel('Endpoint', { exact: true }).selectOption({ label: `Error · ${appUrl.slice(7)}/credulous` })
  await page.waitForURL(/endpoint=/)
  await page.getByRole('button', { name: 'Send many again' }).click()
  assert.equal(await dialog.getByLabel('Which').inputValue(), 'delivered', 'as the list is filtered')
  await dialog.getByText('One hook will be sent again.').waitFor()
  await isGood(page, 'the dialog of a range')
  await dialog.getByRole('button', { name: 'Send 1 again' }).click()
  await dialog.getByText(/^All 1 were sent again/).waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Live', { exact: true }).waitFor()
  await page.route('**/console/rest/hook_deliveries*', route => route.fulfill({ status: 500, body: '{}' }))
  await page.getByText(/^Something went wrong on the server.* What you see is from/).waitFor()
  assert.equal(await page.getByText('Live', { exact: true }).count(), 0)
  complaints.splice(0, complaints.length) // the browser's own, about the refusal
})

test('keys are made and revoked, the Private Key is shown for the password, and stands in a snippet', async t => {
  const { open, page, complaints } = await atDashboard(browser, t, login)
  await open('api-settings/keys')
  await page.getByRole('button', { name: 'Create API key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Shop')
  await dialog.getByRole('button', { name: 'Create API key' }).click()
  await dialog.getByText(/^sk_/).waitFor()
  for (const _ of [1, 2, 3]) await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Close anyway' }).waitFor()
  assert.ok(await dialog.getByText(/^sk_/).isVisible(), 'it is shown this once, and asked about first')
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await isGood(page, 'the API keys')
  assert.equal(await page.getByText(/sk_/).count(), 0)
  await page.getByRole('button', { name: 'Revoke: Shop' }).click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('row', { name: /Shop/ }).getByText('Revoked').waitFor()

  await open('api-settings/private-key')
  await page.getByRole('button', { name: 'Show' }).click()
  await dialog.getByLabel('Password').fill('wrong')
  await dialog.getByRole('button', { name: 'Show' }).click()
  await dialog.getByText('The password is wrong.').waitFor()
  refusalsOf(complaints, 1)
  await dialog.getByLabel('Password').fill(login.password)
  await dialog.getByRole('button', { name: 'Show' }).click()
  await page.getByText(demoSheet.private_key).waitFor()
  await isGood(page, 'the Private Key')

  await open('api-settings/snippets?language=python')
  const code = page.getByRole('region', { name: 'Python' })
  await code.getByText("os.environ['TILLBELL_PRIVATE_KEY']").waitFor()
  await page.getByRole('button', { name: 'Put my Private Key in' }).click()
  await dialog.getByLabel('Password').fill(login.password)
  await dialog.getByRole('button', { name: 'Show' }).click()
  await code.getByText(`private_key = '${demoSheet.private_key}'`).waitFor()
  await isGood(page, 'the snippets')
})

test('a viewer sees it all, in Spanish where they read that, and can change nothing', async t => {
  const viewer = await service.newLogin(demoSheet.merchant, 'viewer')
  const { open, page } = await atDashboard(browser, t, viewer, {
    locale: 'es-ES',
    viewport: { width: 360, height: 720 },
  })
  await open('api-settings')
  await page.getByText('Se le avisa cuando un pago falló.').waitFor()
  assert.equal(await page.getByRole('button', { name: /Añadir|Enviar prueba/ }).count(), 0)
  await open('api-settings/private-key')
  await page.getByText('Solo un propietario puede mostrar o sustituir la clave privada.').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Mostrar' }).count(), 0)
  await open('deliveries')
  await page.getByRole('row').nth(1).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Reenviar varias' }).count(), 0)
  assert.equal(await isWiderThanTheScreen(page), false)
})
