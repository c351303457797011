// One service for the tests of a file, and visitors to its pages. What a browser complains about fails the test.

import assert from 'node:assert/strict'
import { after, test as nodeTest, type TestContext } from 'node:test'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { openBrowser } from './browser.ts'
import { startTestService, type TestService } from './service.ts'

export interface Visitor {
  readonly page: Page
  /** Further tabs are pages of it, watched like the first. */
  readonly context: BrowserContext
  /** All that the browser sent to our service: method, address and body. */
  readonly sent: string[]
  /** What the test expects of them it takes out. */
  readonly complaints: string[]
}

export interface WithBrowser {
  readonly service: TestService
  /** As that of `node:test`, and skipped where there is no browser. */
  test(promise: string, work: (t: TestContext) => Promise<void>): void
  visitor(t: TestContext, options?: BrowserContextOptions): Promise<Visitor>
  /** Every address that any visitor's browser asked, of us or of others. */
  readonly asked: readonly string[]
  /** Every page that was shown to any of them. */
  readonly shown: readonly Promise<string>[]
}

/** For one thing on a page to appear. */
const timeoutMs = 20_000

export async function withBrowser(environment: { readonly [name: string]: string } = {}): Promise<WithBrowser> {
  const browser = await openBrowser()
  const service = await startTestService(environment)
  after(async () => {
    await browser?.close()
    await service.stop()
  })
  const [asked, shown]: [string[], Promise<string>[]] = [[], []]
  let visitors: Visitor[] = []
  return {
    service,
    asked,
    shown,
    test(promise, work) {
      nodeTest(promise, async t => {
        if (browser === null) return t.skip('there is no browser')
        visitors = []
        await work(t).catch(async error => {
          throw new Error(`${error}\n\nThe pages showed:\n${await shownNow(visitors)}`, { cause: error })
        })
        for (const { context } of visitors) await context.close()
        assert.deepEqual(
          visitors.flatMap(({ complaints }) => complaints),
          [],
        )
      })
    },
    async visitor(t, options = {}) {
      if (browser === null) throw new Error('there is no browser')
      const context = await browser.newContext(options)
      context.setDefaultTimeout(timeoutMs)
      t.after(() => context.close())
      context.on('request', request => void asked.push(request.url()))
      // Of a page that has made room for the next there is nothing any more.
      context.on('response', response => {
        if (response.request().isNavigationRequest()) shown.push(response.text().catch(() => ''))
      })
      const visitor = { context, ...watched(context, service.baseUrl), page: await context.newPage() }
      visitors.push(visitor)
      return visitor
    },
  }
}

/** What a failure that comes once in a hundred runs is understood by. */
async function shownNow(visitors: readonly Visitor[]): Promise<string> {
  const pages = visitors.flatMap(({ context }) => context.pages())
  const texts = pages.map(async page => {
    const text = await page.locator('body').innerText({ timeout: 1_000 }).catch(String)
    return `${page.url()}\n${text.slice(0, 3_000)}`
  })
  return (await Promise.all(texts)).join('\n\n')
}

function watched(context: BrowserContext, baseUrl: string): Pick<Visitor, 'sent' | 'complaints'> {
  const [complaints, sent]: [string[], string[]] = [[], []]
  const opened = new Set<string>()
  context.on('request', request => {
    const url = request.url()
    if (request.isNavigationRequest()) opened.add(url)
    if (url.startsWith(`${baseUrl}/`)) sent.push(`${request.method()} ${url} ${request.postData() ?? ''}`)
  })
  context.on('console', message => {
    // A page may say itself that something was refused; a file that it needs may not be missing.
    const isRefusal = message.text().startsWith('Failed to load resource') && opened.has(message.location().url)
    if (!isRefusal) complaints.push(message.text())
  })
  context.on('weberror', error => void complaints.push(String(error.error())))
  context.on('dialog', dialog => {
    complaints.push(dialog.message())
    return dialog.dismiss()
  })
  return { sent, complaints }
}

export function heading(page: Page): Promise<string> {
  return page.locator('h1').innerText()
}

/** Once its style is there: without, a page is as wide as its longest word. */
export async function isWiderThanTheScreen(page: Page): Promise<boolean> {
  await page.waitForLoadState('load')
  return page.evaluate('document.documentElement.scrollWidth > innerWidth')
}
