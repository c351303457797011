// The docs in a real browser: axe finds nothing wrong with them, they fit on a phone, the copy button and the search's key
// work, and the API reference is drawn with nothing from any other host.

import assert from 'node:assert/strict'
import { canBeRead, isAccessible } from './support/axe.ts'
import { atDashboard } from './support/dashboard.ts'
import { heading, isWiderThanTheScreen, withBrowser } from './support/visitor.ts'

const browser = await withBrowser()
const { service, test, visitor, asked } = browser
const docs = `${service.baseUrl}/docs`

test('pages are for everybody, and fit on a phone', async t => {
  const { page } = await visitor(t, { viewport: { width: 360, height: 640 } })
  for (const path of ['', '/security', '/sandbox', '/search?q=rotate+secret']) {
    await page.goto(`${docs}${path}`)
    assert.equal(await isWiderThanTheScreen(page), false, path)
    await isAccessible(page, path)
  }
  await page.getByText('Menu', { exact: true }).click()
  await page.getByRole('navigation', { name: 'All pages' }).getByRole('link', { name: 'Sandbox' }).click()
  assert.equal(await heading(page), 'The sandbox')
})

test('on a phone a button never covers code, and a table of many columns is read without scrolling it', async t => {
  const { page } = await visitor(t, { viewport: { width: 390, height: 844 } })
  await page.goto(`${docs}/quick-start`)
  const edges = await page.evaluate<[number, number][]>(
    `[...document.querySelectorAll('.code')].map(code =>
      [code.querySelector('button').getBoundingClientRect().bottom, code.querySelector('pre').getBoundingClientRect().top])`,
  )
  assert.ok(edges.length > 2)
  for (const [buttonEnds, codeBegins] of edges) assert.ok(buttonEnds <= codeBegins, `${buttonEnds} ${codeBegins}`)

  for (const path of ['configuration', 'self-hosting', 'errors']) {
    await page.goto(`${docs}/${path}`)
    const hidden = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.scroll')].filter(each => each.scrollWidth > each.clientWidth).map(each => each.innerText)`,
    )
    assert.deepEqual(hidden, [], path)
  }
  await page.goto(`${docs}/configuration`)
  const [cell] = await page.getByRole('row').filter({ hasText: 'TILLBELL_HOST' }).getByRole('cell').all()
  assert.equal(await cell?.innerText(), 'TILLBELL_HOST')
  await isAccessible(page, 'a table on a phone')
})

test('on a large screen the sidebar says where one is; a key leads to the search, a button copies', async t => {
  const { page, context } = await visitor(t, { viewport: { width: 1400, height: 900 } })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${docs}/self-hosting`)
  await isAccessible(page, 'a wide page')
  await page.goto(`${docs}/hooks`)
  const here = page.getByRole('navigation', { name: 'Pages' }).locator('[aria-current=page]')
  assert.equal(await here.innerText(), 'Hooks')
  const read = page.getByRole('navigation', { name: 'On this page' }).locator('[aria-current=location]')
  assert.equal(await read.count(), 0)
  for (const part of ['Endpoints', 'The request', 'Key rotation']) {
    await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: part }).click()
    await read.filter({ hasText: part }).waitFor()
    assert.equal(await read.count(), 1)
  }
  await page.keyboard.press('Home')
  await read.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Copy' }).first().click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  assert.match(await page.evaluate('navigator.clipboard.readText()'), /^import \{ createHmac/)
  await page.keyboard.press('/')
  await page.keyboard.type('key rotation\n')
  await page.getByRole('link', { name: 'Hooks: Key rotation' }).click()
  assert.equal(new URL(page.url()).hash, '#key-rotation')
})

test('the dashboard leads to them, in another tab', async t => {
  const { open, context } = await atDashboard(browser, t, service.demoSheet.dashboard)
  const page = await open('offers')
  const [docsPage] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Docs' }).click(),
  ])
  assert.equal(await heading(docsPage), 'Tillbell docs')
})

test('the API reference shows requests and hooks with their fields and samples, by night too', async t => {
  const { page } = await visitor(t, { viewport: { width: 1400, height: 900 }, colorScheme: 'dark' })
  await page.goto(`${docs}/api`)
  await page.locator('.is-drawn').waitFor({ state: 'attached' })
  const text = await page.evaluate<string>('document.getElementById("reference").innerText')
  const fields = ['payment_method_mask', 'The last four digits of the card.', '"payment_method_mask": "1111"']
  for (const part of ['/api/v5/rest/transactions', 'Pre-Sale', 'Idempotency-Key', ...fields])
    assert.ok(text.includes(part), part)
  assert.doesNotMatch(text, /No sample/)
  const colours = await page.evaluate<string[]>(
    `['body', '#reference .menu-content', '#reference h2'].map(name => getComputedStyle(document.querySelector(name)))
      .flatMap(({ backgroundColor, color }, at) => (at < 2 ? backgroundColor : color))`,
  )
  const [paper = 255, menu = 255, ink = 0] = colours.map(colour => Number(/\d+/.exec(colour)?.[0]))
  assert.ok(paper < 60 && menu < 60 && ink > 200, String(colours))
})

test('the API reference opens on the requests; the words about them unfold, also by a link to one of their headings', async t => {
  const { page } = await visitor(t, { viewport: { width: 1280, height: 900 } })
  await page.goto(`${docs}/api`)
  await page.locator('.is-drawn').waitFor({ state: 'attached' })
  const first = await page.getByRole('heading', { name: 'Create a Transaction' }).boundingBox()
  assert.ok((first?.y ?? 900) < 700, `the first request is at ${first?.y}`)
  const shell = page.getByRole('heading', { name: 'In a shell' })
  assert.equal(await shell.isVisible(), false)
  await page.getByText('What all requests share').click()
  await shell.waitFor()
  await page.goto(`${docs}/errors`)
  await page.goto(`${docs}/api#in-a-shell`)
  await shell.waitFor()
})

test('a request that was searched for is there where the search leads', async t => {
  const { page } = await visitor(t, { viewport: { width: 1280, height: 900 } })
  for (const asked of ['POST credit_cards links', 'Pre-Sale hook webhook-id']) {
    await page.goto(`${docs}/search?q=${encodeURIComponent(asked)}`)
    await page.locator('.hits a[href*="/docs/api#"]').first().click()
    await page.locator('.is-drawn').waitFor({ state: 'attached' })
    const place = decodeURIComponent(new URL(page.url()).hash.slice(1))
    assert.equal(await page.locator(`[id="${place}"]`).count(), 1, place)
  }
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`what the API reference shows can be read, ${colorScheme}`, async t => {
    const { page } = await visitor(t, { viewport: { width: 1280, height: 900 }, colorScheme })
    await page.goto(`${docs}/api`)
    await page.locator('.is-drawn').waitFor({ state: 'attached' })
    await canBeRead(page, colorScheme)
    // What axe does not look at: the arrow beside the authorisations is as dark or bright as the word.
    const [arrow, word] = await page.evaluate<string[]>(
      `['h5 + svg polygon', 'h5'].map(name => getComputedStyle(document.querySelector('#reference ' + name)))
        .map(({ fill, color }, at) => (at === 0 ? fill : color))`,
    )
    assert.equal(arrow, word)
  })
}

test('nothing was asked of any other host', async () => {
  assert.ok(asked.some(url => url.endsWith('/redoc.js')))
  assert.deepEqual(
    asked.filter(url => !url.startsWith(`${service.baseUrl}/`) && !url.startsWith('data:')),
    [],
  )
})
