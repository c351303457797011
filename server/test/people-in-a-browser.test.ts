// The merchant's people in a real browser: somebody is invited, joins, turns on a second factor, signs in with it, meets the
// limits of their role, and is removed.

import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { isAccessible } from './support/axe.ts'
import { signedIn } from './support/console.ts'
import { atDashboard, endSessionsAt, signInByHand } from './support/dashboard.ts'
import { codeNow, linkIn } from './support/people.ts'
import { until } from './support/until.ts'
import { isWiderThanTheScreen, withBrowser } from './support/visitor.ts'

const { service, test, visitor } = await withBrowser()
const password = 'four words by chance'

const phone = { width: 360, height: 740 }
const desk = { width: 1_200, height: 800 }

async function isForEverybody(page: Page, name: string): Promise<void> {
  await isAccessible(page, name)
  await page.setViewportSize(phone)
  assert.equal(await isWiderThanTheScreen(page), false, `${name} on a phone`)
  await page.setViewportSize(desk)
}

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })

/** What a refusal makes the browser say is expected. */
const forgetRefusals = (complaints: string[]) => void complaints.splice(0, complaints.length)

test('an owner invites somebody, who joins, protects the login, comes back with a code, and is removed', async t => {
  const { merchant } = await service.newMerchant()
  const login = await service.newLogin(merchant, 'owner')
  const owner = await atDashboard({ service, visitor }, t, login)
  await owner.open('team')
  await button(owner.page, 'Invite somebody').click()
  await owner.page.getByLabel('Email').fill('grace@example.com')
  await isForEverybody(owner.page, 'inviting')
  await button(owner.page, 'Send the invitation').click()
  const link = await owner.page.getByRole('textbox', { name: 'Link' }).inputValue()
  await button(owner.page, 'Done').click()
  await owner.page.getByRole('cell', { name: 'grace@example.com', exact: true }).waitFor()
  await isForEverybody(owner.page, 'the team')

  const { page, complaints } = await visitor(t, { locale: 'en-US', viewport: desk })
  await page.goto(link)
  await page.getByText('grace@example.com').waitFor()
  await isForEverybody(page, 'the invitation')
  await page.getByLabel('New password').fill('Password2026!')
  await button(page, 'Join').click()
  await page.getByText('one of the passwords that are guessed first').waitFor()
  forgetRefusals(complaints)
  await page.getByLabel('New password').fill(password)
  await button(page, 'Join').click()
  await page.getByRole('navigation').first().waitFor()

  await page.goto(`${service.baseUrl}/dashboard/team`)
  await page.getByRole('cell', { name: 'grace@example.com (you)' }).waitFor()
  assert.equal(await button(page, 'Invite somebody').count(), 0, 'a viewer invites nobody')
  const { secret, recoveryCode } = await turnOnSecondFactor(page)
  await signOutAndIn(page, complaints, secret)
  await goOnAfterTheSessionEnded(page, recoveryCode)
  forgetRefusals(complaints)

  await owner.open('team')
  await button(owner.page, 'Remove: grace@example.com').click()
  await isForEverybody(owner.page, 'removing')
  await button(owner.page, 'Remove').click()
  await owner.page.getByText('grace@example.com is removed.').waitFor()
  await page.goto(`${service.baseUrl}/dashboard/account`)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  forgetRefusals(complaints)

  await owner.open('changes')
  await owner.page.getByText(`${login.email} removed somebody from the team`).waitFor()
  await owner.page.getByText('grace@example.com turned on their second factor').waitFor()
  await isForEverybody(owner.page, 'the audit log')
  await owner.page.getByLabel('What').selectOption('invitation_accepted')
  await owner.page.getByText('removed somebody from the team').first().waitFor({ state: 'hidden' })
  assert.match(owner.page.url(), /action=invitation_accepted/)
})

async function turnOnSecondFactor(page: Page) {
  await page.goto(`${service.baseUrl}/dashboard/account`)
  await page.getByRole('heading', { name: 'Second factor' }).waitFor()
  await isForEverybody(page, 'the account')
  await button(page, 'Turn on').click()
  await page.getByLabel('Current password').fill(password)
  await button(page, 'Continue').click()
  const secret = await page.getByRole('dialog').locator('code').innerText()
  await page.getByRole('img', { name: /QR code/ }).waitFor()
  await isForEverybody(page, 'setting up a second factor')
  await page.getByLabel('Code').fill(codeNow(secret))
  await page.getByRole('dialog').getByRole('button', { name: 'Turn on' }).click()
  await page.getByRole('heading', { name: 'Keep your recovery codes' }).waitFor()
  const codes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allInnerTexts()
  assert.equal(codes.length, 10)
  await button(page, 'I have kept them').click()
  await page.getByText('On since').waitFor()
  return { secret, recoveryCode: codes[0] ?? '' }
}

async function goOnAfterTheSessionEnded(page: Page, recoveryCode: string): Promise<void> {
  await page.goto(`${service.baseUrl}/dashboard/account`)
  await button(page, 'Change password').click()
  await page.getByLabel('Current password').fill(password)
  await page.getByLabel('New password').fill('four other words, in no order')
  await endSessionsAt(page, { service }, { path: 'account/password', email: 'grace@example.com' })
  await button(page, 'Change password').last().click()
  const again = page.getByRole('dialog', { name: 'Your session ended' })
  await again.getByText('Sign in again as grace@example.com').waitFor()
  await isForEverybody(page, 'signing in again')
  await again.getByLabel('Password', { exact: true }).fill(password)
  await button(page, 'Sign in').click()
  await again.getByLabel('Code').fill(recoveryCode)
  await button(page, 'Continue').click()
  await again.waitFor({ state: 'hidden' })
  assert.equal(await page.getByLabel('New password').inputValue(), 'four other words, in no order')
  await button(page, 'Change password').last().click()
  await page.getByText('Your password is changed').waitFor()
  // Somebody who is signed in has nothing to do where one signs in.
  await page.goto(`${service.baseUrl}/dashboard/sign-in?to=/account`)
  await page.getByRole('heading', { name: 'Second factor' }).waitFor()
}

async function signOutAndIn(page: Page, complaints: string[], secret: string): Promise<void> {
  await button(page, /account, theme, language/).click()
  await button(page, 'Sign out').click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await signInByHand(page, service.baseUrl, { email: 'grace@example.com', password })
  await page.getByLabel('Code').fill(codeNow(secret, 1))
  forgetRefusals(complaints)
  await button(page, 'Continue').click()
  await page.getByRole('navigation').first().waitFor()
}

test('a tab of somebody else, or of nobody, shows and sends nothing of who was there before', async t => {
  const [ada, eve] = [(await service.newMerchant()).login, (await service.newMerchant()).login]
  const { page: tab, context, complaints } = await visitor(t, { locale: 'en-US', viewport: desk })
  const asksToStay: string[] = []
  tab.on('dialog', dialog => {
    asksToStay.push(dialog.message())
    void dialog.accept()
  })
  const other = await context.newPage()
  await other.goto(`${service.baseUrl}/dashboard/sign-in`)
  await other.getByLabel('Email').fill(eve.email)
  await signInByHand(tab, service.baseUrl, ada)
  await beginAnOffer(tab, ada.email)

  await other.getByLabel('Password', { exact: true }).fill(eve.password)
  await button(other, 'Sign in').click()
  await isAtHomeOf(tab, eve.email)

  // As a session that is replaced without a word to this tab.
  await beginAnOffer(tab, eve.email)
  const [name = '', value = ''] = (await signedIn(service.baseUrl, ada)).cookie.split('=')
  const { hostname: domain } = new URL(service.baseUrl)
  await context.addCookies([{ name, value, domain, path: '/console', httpOnly: true, sameSite: 'Strict' }])
  await tab.getByLabel('Title').press('Enter')
  await isAtHomeOf(tab, ada.email)
  assert.deepEqual([...(await service.database.sql`select 1 from offer where title = 'Ship bell'`)], [])

  await beginAnOffer(tab, ada.email)
  await other.goto(`${service.baseUrl}/dashboard/`)
  await button(other, /account, theme, language/).click()
  await button(other, 'Sign out').click()
  await tab.getByRole('heading', { name: 'Sign in' }).waitFor()
  assert.deepEqual(asksToStay, [])
  forgetRefusals(complaints)
})

/** So far that the page would ask whether to leave it. */
async function beginAnOffer(page: Page, email: string): Promise<void> {
  await button(page, `${email}: account, theme, language`).waitFor()
  await page.goto(`${service.baseUrl}/dashboard/offers/new`)
  await page.getByLabel('Title').click()
  await page.getByLabel('Title').pressSequentially('Ship bell')
  await page.getByLabel('Price of one').fill('100.00')
}

async function isAtHomeOf(page: Page, email: string): Promise<void> {
  await page.waitForURL(`${service.baseUrl}/dashboard/`)
  await button(page, `${email}: account, theme, language`).waitFor()
}

test('who forgot the password is mailed a link, sets another, and reads it all in Spanish', async t => {
  const { dashboard } = service.demoSheet
  const { page } = await visitor(t, { locale: 'es-MX', viewport: desk })
  await page.goto(`${service.baseUrl}/dashboard/forgot`)
  await page.getByLabel('Correo electrónico').fill(dashboard.email)
  await isForEverybody(page, 'a forgotten password')
  await button(page, 'Enviarme un enlace').click()
  await page.getByText('un correo va en camino').waitFor()
  const link = await linkOfMail(dashboard.email)
  await page.goto(`${service.baseUrl}/dashboard/reset#${link}`)
  await page.getByLabel('Contraseña nueva').fill(password)
  await isForEverybody(page, 'a new password')
  await button(page, 'Guardar la contraseña').click()
  await page.getByRole('heading', { name: 'Su contraseña está guardada' }).waitFor()
})

async function linkOfMail(address: string): Promise<string> {
  const rows = () => service.database.sql`select text from inbox_mail where to_address = ${address}`
  await until('the mail is in the inbox', async () => (await rows()).length === 1)
  return linkIn(String((await rows())[0]?.text))
}
