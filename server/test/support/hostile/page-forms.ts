// Forms of an offer's page, as no browser sends them. Only what a page of ours has shown is ordered, and no number or code of a card
// comes back.

import assert from 'node:assert/strict'
import { passesLuhn } from '../../../src/core/card-number.ts'
import { parseEmail } from '../../../src/core/email.ts'
import type { TransactionId } from '../../../src/core/ids.ts'
import type { Order } from '../../../src/pages/checkout/ports.ts'
import { formSent } from '../../../src/pages/checkout/secret.ts'
import { readOrder } from '../../../src/pages/checkout/typed-order.ts'
import { readForm } from '../../../src/pages/own-form.ts'
import { ada, fakeCheckout, goodCard } from '../fake-checkout-ports.ts'
import { noon, offer } from '../sale-samples.ts'
import { formSpices, formType } from './bodies.ts'
import { type Chance, pick } from './chance.ts'
import { damaged, shorter } from './damage.ts'
import type { Fuzzed } from './fuzz.ts'
import { nothingLeaks } from './leaks.ts'

const paid = '0199a000-0000-7000-8000-00000000000a' as TransactionId
const asks = { address: 'shipping', customFields: [{ name: 'Size', required: false }] } as const
const address = { street: '1 Main St', city: 'Springfield', state: 'IL', zip: '62701', country: 'US' }
const values = [
  ...[
    '',
    ' ',
    '0',
    '-1',
    '1e3',
    '2',
    '9999',
    '10000',
    '20000',
    'yes',
    'new',
    '4111111111111111',
    '4111 1111 1111 1112',
    '１２',
  ],
  ...[
    'a@b',
    'Ada@Example.com ',
    'ada@example.com\r\nBcc: eve@evil.example',
    '<script>alert(1)</script>',
    '"><img src=x>',
    "' or 1=1",
  ],
  ...[
    '\u202egnp.exe',
    '\0',
    '\ud83d',
    'é'.repeat(600),
    'x'.repeat(3_000),
    '08/29',
    '13/29',
    '01/20',
    '2029-08',
    '0829',
    'XX',
    'US',
  ],
]
const typed = {
  ...ada,
  ...goodCard,
  ...address,
  answer_1: 'M',
  units: '1',
  total: '10000',
  consent: 'yes',
  referrer_context: 'mail-7',
}

interface Sent {
  /** To the page itself, which takes a millisecond; else only to those who read its forms. */
  readonly isShown: boolean
  readonly type: string
  /** Of bytes. */
  readonly body: string
}

export async function open(): Promise<Fuzzed<Sent>> {
  const fake = fakeCheckout(asks)
  fake.pays = { kind: 'see', transactionId: paid }
  const key = (about: string) => Buffer.from(about).toString('base64url')
  const ports = { formToken: key, isFormToken: (about: string, given: string) => key(about) === given, now: () => noon }
  const ways = { fields: { kind: 'number' }, cards: [], now: noon } as const
  const path = `/offers/${offer.id}`
  const page = await fake.app.inject({ url: path })
  const hidden = [...page.body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
  const whole = { ...Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value])), ...typed }
  const { checkout: secret, attempt, form_token: token } = whole as { [name: string]: string }
  assert.ok(secret !== undefined && attempt !== undefined && token !== undefined, page.body)

  function make(chance: Chance): Sent {
    const form: { [name: string]: string } = { ...whole }
    const fields = Object.keys(form)
    for (let count = chance(3); count > 0; count -= 1) {
      const name = pick(fields, chance)
      if (chance(3) === 0) delete form[name]
      else form[name] = pick(values, chance)
    }
    const text = Buffer.from(new URLSearchParams(form).toString()).toString('latin1')
    const type =
      chance(30) === 0 ? pick(['text/plain', 'application/json', '', 'multipart/form-data'], chance) : formType
    return { isShown: chance(10) === 0, type, body: chance(2) === 0 ? text : damaged(text, chance, formSpices) }
  }

  function hold(sent: Sent): Promise<string> | string {
    return sent.isShown ? holdShown(sent) : holdRead(sent)
  }

  function holdRead({ type, body }: Sent): string {
    const text = Buffer.from(body, 'latin1').toString('utf8')
    const form = readForm(type, text)
    const sent = form === null ? null : formSent(ports, offer.id, form)
    if (form === null || sent === null) return 'refused'
    const { order, problems } = readOrder({ ...ways, offer: fake.offer, proven: null }, form)
    if (order !== null) isMeant({ ...order, ...sent }, new URLSearchParams(`?${text}`))
    assert.ok(order === null || Object.keys(problems).length === 0)
    for (const [name, problem] of Object.entries(problems)) assert.match(`${name} ${problem}`, /^[a-z_0-9]+ [a-zA-Z]+$/)
    return order === null ? 'wrong' : 'read'
  }

  async function holdShown({ type, body }: Sent): Promise<string> {
    fake.orders.length = 0
    const headers = type === '' ? {} : { 'content-type': type }
    const { statusCode, body: shown } = await fake.app.inject({
      method: 'POST',
      url: path,
      headers,
      payload: Buffer.from(body, 'latin1'),
    })
    assert.ok([200, 303, 400, 403, 409, 413, 415, 422].includes(statusCode), `${statusCode}: ${shown.slice(0, 500)}`)
    const form = new URLSearchParams(`?${Buffer.from(body, 'latin1').toString('utf8')}`)
    const [order] = fake.orders
    assert.equal(
      order !== undefined,
      statusCode === 303,
      `${statusCode}, and ${order === undefined ? 'nothing' : 'it'} was ordered`,
    )
    if (order !== undefined) isMeant(order, form)
    nothingLeaks(shown.replace(/<script.*?<\/script>/gs, ''))
    assert.doesNotMatch(shown, /<script>alert|<img src=x/)
    for (const name of ['number', 'cvc']) {
      const value = form.get(name) ?? ''
      if (/^[0-9 ]{12,}$/.test(value)) assert.ok(!shown.includes(value), `the card’s ${name} is shown`)
    }
    return statusCode === 303 ? 'ordered' : String(statusCode)
  }

  /** Every field of the order is there in the form, once, and is one that may be paid and kept. */
  function isMeant(order: Omit<Order, 'address'>, form: URLSearchParams): void {
    assert.equal(new Set(form.keys()).size, [...form.keys()].length, 'a field is there twice')
    assert.deepEqual([order.secret, order.attempt], [secret, Number(attempt)])
    assert.equal(form.get('form_token'), token)
    assert.equal(form.get('total'), String(offer.amountMinor * BigInt(order.quantity)))
    assert.ok(Number.isInteger(order.quantity) && order.quantity >= 1 && order.quantity <= 9_999)
    assert.equal(order.email, parseEmail(form.get('email') ?? ''))
    assert.ok(order.pays.kind === 'new' && 'number' in order.pays.card)
    assert.equal(order.pays.card.number, form.get('number')?.replace(/[\s-]/g, ''))
    assert.ok(passesLuhn(order.pays.card.number))
    const text = JSON.stringify([order.entered, order.referrerContext])
    assert.ok(!/\\u00[01]|\\ud[89a-f]|\\[nrtbf]/.test(text) && text.isWellFormed() && text.length < 10_000, text)
  }

  return {
    make,
    hold,
    *smaller({ isShown, type, body }) {
      for (const less of shorter(body)) yield { isShown, type, body: less }
    },
    shown: ({ isShown, type, body }) => `${isShown ? 'to the page' : 'read'}: ${type} ${JSON.stringify(body)}`,
    close: () => fake.app.close(),
  }
}
