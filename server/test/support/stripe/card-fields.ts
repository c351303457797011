// Stripe's card fields in a browser: the script that a page loads, with the documented surface that we use, and the frame
// that it shows. As at Stripe, what is typed stays in the frame, which sends it to Stripe itself and gives the page a name.

import type { IncomingMessage } from 'node:http'
import { methodNamed } from './cards.ts'
import { parseForm } from './form.ts'
import type { State } from './state.ts'

export interface Served {
  readonly status: number
  readonly type: string
  readonly text: string
}

export interface FieldsWorld {
  readonly state: State
  readonly publishableKey: string
  /** Card numbers that were typed into these fields. */
  readonly typed: string[]
}

/** Null: another path. */
export function serveCardFields(
  world: FieldsWorld,
  path: string,
  request: IncomingMessage,
  body: string,
): Served | null {
  if (path === '/stripe.js') return { status: 200, type: 'text/javascript', text: script }
  if (path === '/fields') return { status: 200, type: 'text/html; charset=utf-8', text: frame }
  if (path === '/fields.js') return { status: 200, type: 'text/javascript', text: frameScript }
  if (path !== '/fields/payment_methods' || request.method !== 'POST') return null
  const answer = nameFor(world, parseForm(body))
  return { status: 200, type: 'application/json', text: JSON.stringify(answer) }
}

/** Stripe's documented test numbers, and the test cards that they are. */
const numbers: { readonly [number: string]: string } = {
  '4242424242424242': 'pm_card_visa',
  '5555555555554444': 'pm_card_mastercard',
  '4000000000000002': 'pm_card_visa_chargeDeclined',
  '4000002760003184': 'pm_card_authenticationRequired',
}

function nameFor({ state, publishableKey, typed }: FieldsWorld, { key, number }: ReturnType<typeof parseForm>): object {
  if (key !== publishableKey) return { error: { message: 'Invalid API Key provided.' } }
  const known = numbers[String(number).replaceAll(' ', '')]
  const method = known === undefined ? null : methodNamed(state, known)
  if (method === null) return { error: { message: 'Your card number is invalid.' } }
  typed.push(String(number))
  return { paymentMethod: { id: method.id } }
}

const script = `
window.Stripe = key => {
  const own = [...document.scripts].find(({ src }) => src.endsWith('/stripe.js'))
  const { origin } = new URL(own.src)
  const ask = (frame, question) => new Promise(resolve => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = ({ data }) => resolve(data)
    frame.contentWindow.postMessage({ question, key }, origin, [port2])
  })
  return {
    elements({ mode, currency, paymentMethodTypes, paymentMethodCreation }) {
      if (mode !== 'setup' || !/^[a-z]{3}$/.test(currency)) throw new Error('elements: mode and currency')
      if (paymentMethodCreation !== 'manual') throw new Error('createPaymentMethod needs paymentMethodCreation: manual')
      if (String(paymentMethodTypes) !== 'card') throw new Error('elements: paymentMethodTypes')
      let frame = null
      let submitted = false
      return {
        create(type) {
          if (type !== 'payment') throw new Error('create: ' + type)
          return {
            mount(selector) {
              frame = document.createElement('iframe')
              frame.title = 'Secure card fields'
              frame.src = origin + '/fields'
              frame.width = '100%'
              frame.height = '190'
              frame.style.border = '0'
              document.querySelector(selector).append(frame)
            },
          }
        },
        async submit() {
          const answer = await ask(frame, 'submit')
          submitted = answer.error === undefined
          return answer
        },
        name: () => (submitted ? ask(frame, 'name') : Promise.reject(new Error('elements.submit() comes first'))),
      }
    },
    createPaymentMethod: ({ elements }) => elements.name(),
  }
}
`

const frame = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Card</title>
<form>
<p><label>Card number<br><input name="number" size="22" autocomplete="cc-number"></label></p>
<p><label>Expiration date<br><input name="expiry" size="8" autocomplete="cc-exp"></label></p>
<p><label>Security code<br><input name="cvc" size="5" autocomplete="cc-csc"></label></p>
</form><script src="/fields.js"></script></html>`

const frameScript = `
const { number, expiry, cvc } = document.forms[0].elements
const digits = () => number.value.replaceAll(' ', '')
async function answerTo({ question, key }) {
  if (question === 'submit') {
    if (digits().length < 13) return { error: { message: 'Your card number is incomplete.' } }
    if (expiry.value === '' || cvc.value === '') return { error: { message: 'Your card is incomplete.' } }
    return {}
  }
  const body = new URLSearchParams({ key, number: digits() })
  return (await fetch('/fields/payment_methods', { method: 'POST', body })).json()
}
addEventListener('message', async ({ data, ports: [port] }) => port?.postMessage(await answerTo(data)))
`
