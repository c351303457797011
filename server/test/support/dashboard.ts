// Somebody at the dashboard in a real browser. One test signs in by the page; the others come with the session's cookie.

import type { TestContext } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { signedIn } from './console.ts'
import type { SignInPair } from './service.ts'
import type { Visitor, WithBrowser } from './visitor.ts'

export interface AtDashboard extends Visitor {
  /** A page of it, behind /dashboard/. Its heading is there. */
  open(path: string): Promise<Page>
}

export async function atDashboard(
  { service, visitor }: Pick<WithBrowser, 'service' | 'visitor'>,
  t: TestContext,
  pair: SignInPair,
  options: BrowserContextOptions = {},
): Promise<AtDashboard> {
  const { cookie } = await signedIn(service.baseUrl, pair)
  const [name = '', value = ''] = cookie.split('=')
  const visit = await visitor(t, { locale: 'en-US', ...options })
  const { hostname: domain } = new URL(service.baseUrl)
  await visit.context.addCookies([{ name, value, domain, path: '/console', httpOnly: true, sameSite: 'Strict' }])
  return {
    ...visit,
    async open(path) {
      await visit.page.goto(`${service.baseUrl}/dashboard/${path}`)
      await visit.page.getByRole('heading', { level: 1 }).waitFor()
      return visit.page
    },
  }
}

export async function signInByHand(page: Page, baseUrl: string, { email, password }: SignInPair): Promise<void> {
  await page.goto(`${baseUrl}/dashboard/`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/**
 * Ends the sessions of an address just as its page asks for a path. Ended before, what the page asks by itself may be refused
 * first, and the dialog is there before anybody has done anything.
 */
export async function endSessionsAt(
  page: Page,
  { service }: Pick<WithBrowser, 'service'>,
  { path, email }: { readonly path: string; readonly email: string },
): Promise<void> {
  await page.route(
    `${service.baseUrl}/console/${path}`,
    async route => {
      await service.database.sql`delete from console_session where email = ${email}`
      await route.continue()
    },
    { times: 1 },
  )
}
