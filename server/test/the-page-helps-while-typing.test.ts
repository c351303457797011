// What the script of an offer's page does while somebody types, in a real browser: groups, names, checks and reckons.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { payButton, typeCard, typeNames } from './support/customer.ts'
import { heading, withBrowser } from './support/visitor.ts'

const { service, test, visitor } = await withBrowser()

async function openForm(t: TestContext, more: { readonly [name: string]: string } = {}): Promise<Page> {
  const { page } = await visitor(t)
  await page.goto(`${service.baseUrl}/offers/${await service.demo.makeOffer(more)}`)
  return page
}

const numberIn = (page: Page) => page.getByLabel('Card number')
/** What is said to be wrong about a field, where a screen reader looks for it. */
async function problemAt(page: Page, label: string): Promise<string> {
  const described = (await page.getByLabel(label).getAttribute('aria-describedby')) ?? ''
  const texts = described.split(' ').filter(id => id.endsWith('-problem'))
  return page.locator(`#${texts}`).innerText()
}
const isInvalid = (page: Page, label: string) => page.getByLabel(label).getAttribute('aria-invalid')

test('a number is grouped as it stands on the card, and its brand is named', async t => {
  const page = await openForm(t)
  for (const [typed, grouped, brand] of [
    ['4111111111111111', '4111 1111 1111 1111', 'Visa'],
    ['5555555555554444', '5555 5555 5555 4444', 'Mastercard'],
    ['2223003122003222', '2223 0031 2200 3222', 'Mastercard'],
    ['378282246310005', '3782 822463 10005', 'American Express'],
    ['6011111111111117', '6011 1111 1111 1117', 'Discover'],
    ['9', '9', ''],
  ] as const) {
    await numberIn(page).fill('')
    await numberIn(page).pressSequentially(typed)
    assert.equal(await numberIn(page).inputValue(), grouped)
    assert.equal(await page.getByRole('status').innerText(), brand)
  }
})

/** As from the clipboard, which a test in a browser without a window cannot have. */
async function paste(page: Page, text: string): Promise<void> {
  await page.keyboard.insertText(text)
}

test('a number may be pasted with blanks, dashes and whatever stands around it', async t => {
  const page = await openForm(t)
  for (const text of ['4111-1111-1111-1111', ' 4111 1111 11111111 ', '4111.1111.1111.1111']) {
    await numberIn(page).fill('')
    await numberIn(page).focus()
    await paste(page, text)
    assert.equal(await numberIn(page).inputValue(), '4111 1111 1111 1111', text)
  }
  await page.getByLabel('Expiry').focus()
  await paste(page, '8/2029')
  await page.keyboard.press('Tab')
  assert.equal(await page.getByLabel('Expiry').inputValue(), '08/29')
})

const caretIn = (page: Page) => page.evaluate<number>("document.getElementById('number').selectionStart")

test('a digit in the middle is changed where it is: the caret stays', async t => {
  const page = await openForm(t)
  await numberIn(page).fill('4111111111111111')
  await page.evaluate("document.getElementById('number').setSelectionRange(7, 7)")
  await page.keyboard.press('Backspace')
  assert.deepEqual([await numberIn(page).inputValue(), await caretIn(page)], ['4111 1111 1111 111', 6])
  await page.keyboard.type('2')
  assert.deepEqual([await numberIn(page).inputValue(), await caretIn(page)], ['4111 1211 1111 1111', 7])
  await page.evaluate("document.getElementById('number').setSelectionRange(4, 4)")
  await page.keyboard.type('9')
  assert.deepEqual([await numberIn(page).inputValue(), await caretIn(page)], ['4111 9121 1111 1111 1', 6])
})

test('the expiry is given its slash, and the slash can be deleted', async t => {
  const page = await openForm(t)
  const expiry = page.getByLabel('Expiry')
  await expiry.pressSequentially('1240')
  assert.equal(await expiry.inputValue(), '12/40')
  for (let deleted = 0; deleted < 3; deleted++) await page.keyboard.press('Backspace')
  assert.match(await expiry.inputValue(), /^12?$/)
  await expiry.fill('')
  await expiry.pressSequentially('840')
  assert.equal(await expiry.inputValue(), '08/40')
  await expiry.press('Home')
  await expiry.press('Delete')
  await payButton(page).click()
  assert.equal(await expiry.inputValue(), '08/40', 'also for who goes on without leaving the field')
})

test('what is wrong is said beside the field when it is left, and no longer when it is right', async t => {
  const page = await openForm(t)
  for (const [label, wrong, says, right] of [
    ['Card number', '4111111111111112', 'Enter the number on the card. Please check each digit.', '4111111111111111'],
    ['Card number', '411111111111', 'Enter the number on the card. Please check each digit.', '4111111111111111'],
    ['Expiry', '0120', 'This card has expired. Please use another one.', '0140'],
    ['Expiry', '1340', 'Enter the expiry date as month and year, such as 08/29.', '1240'],
    ['Security code', '12', 'Enter the security code: three or four digits.', '123'],
    ['Email', 'ada', 'Enter an email address, such as name@example.com.', 'ada@example.com'],
  ] as const) {
    const field = page.getByLabel(label)
    await field.fill('')
    await field.pressSequentially(wrong)
    assert.deepEqual([await problemAt(page, label), await isInvalid(page, label)], ['', null], `${wrong}: not yet`)
    await field.blur()
    assert.deepEqual([await problemAt(page, label), await isInvalid(page, label)], [says, 'true'], wrong)
    await field.fill('')
    await field.pressSequentially(right)
    assert.deepEqual([await problemAt(page, label), await isInvalid(page, label)], ['', null], right)
  }
})

test('the amount follows the quantity, on the page, on the button and in what is charged', async t => {
  const page = await openForm(t, { amount: '0.07' })
  await page.getByLabel('Quantity').fill('15')
  assert.equal(await page.locator('#total').innerText(), '$1.05')
  assert.match(await page.locator('dl').innerText(), /\$0\.07/, 'the price of each, too')
  await typeNames(page)
  await typeCard(page, '4111111111111111')
  for (const none of ['', '0', '1e2', '2.0', '99999', '-1']) {
    await page.getByLabel('Quantity').fill(none)
    assert.equal(await page.locator('#total').innerText(), '–', none)
    await page.locator('.entry > button').click()
    assert.equal(await problemAt(page, 'Quantity'), 'Enter a whole number from 1 to 9999.')
    assert.deepEqual(
      [await isInvalid(page, 'Quantity'), await page.locator(':focus').getAttribute('id')],
      ['true', 'units'],
    )
  }
  await page.getByLabel('Quantity').fill('01000')
  await page.getByRole('button', { name: 'Pay $70.00' }).click()
  await page.getByText('Thank you.').waitFor()
  assert.match(await page.locator('dl').innerText(), /\$70\.00/)
})

test('nothing is sent while something is wrong: the keyboard is at the first wrong field', async t => {
  const page = await openForm(t)
  await page.getByLabel('Email').fill('ada@example.com')
  await payButton(page).click()
  assert.equal(await page.evaluate('document.activeElement.name'), 'first_name')
  assert.equal(await problemAt(page, 'First name'), 'Enter your first name.')
  assert.equal(await problemAt(page, 'Card number'), 'Enter the number on the card. Please check each digit.')
  assert.equal(await heading(page), 'Payment of $100.00.')
})

test('what the server finds wrong is read aloud, is beside its field, and the keyboard is there', async t => {
  const { page } = await visitor(t, { javaScriptEnabled: false })
  const custom_fields = JSON.stringify([{ name: 'Size', required: true }])
  await page.goto(`${service.baseUrl}/offers/${await service.demo.makeOffer({ custom_fields })}`)
  await typeNames(page)
  // Blanks are something to a browser.
  await page.getByLabel('Size').fill('  ')
  await typeCard(page, '4111111111111112')
  await payButton(page).click()
  const says = 'You have not been charged. Please check the 2 marked fields.'
  await page.getByRole('alert').getByText(says).waitFor()
  assert.equal(await problemAt(page, 'Size'), 'Please answer this.')
  assert.equal(await problemAt(page, 'Card number'), 'Enter the number on the card. Please check each digit.')
  assert.equal(await page.locator(':focus').getAttribute('id'), await page.getByLabel('Size').getAttribute('id'))
})
