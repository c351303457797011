// A service of one offer behind the page, in memory: what it is asked to do is written down, and what it answers is said by the test.

import Fastify, { type FastifyInstance } from 'fastify'
import { checkoutSecret } from '../../src/core/checkout.ts'
import { type Look, plainLook } from '../../src/core/look.ts'
import type { Offer } from '../../src/core/offer.ts'
import type { Sale } from '../../src/core/sale.ts'
import { givePlacesBack } from '../../src/http/hold-places.ts'
import type {
  CheckoutPorts,
  Order,
  Paid,
  Proof,
  ProofAsked,
  ProvenCustomer,
  Visit,
} from '../../src/pages/checkout/ports.ts'
import { checkoutRoutes, showCheckout, waitingAt } from '../../src/pages/checkout/routes.ts'
import { merchant, noon, offer } from './sale-samples.ts'

export const nobodyYet: Visit = { fields: { kind: 'number' }, attempt: 0, standing: null, proven: null }

export interface Fake {
  readonly app: FastifyInstance
  readonly ports: CheckoutPorts
  readonly orders: Order[]
  readonly asked: ProofAsked[]
  /** The secrets of checkouts for which an address was proven. */
  readonly proven: string[]
  readonly proofs: Map<string, Proof>
  /** By their addresses; others are new here. */
  readonly customers: Map<string, ProvenCustomer>
  /** Of some checkouts, by their secrets; of all others it is `visit`. */
  readonly visits: Map<string, Visit>
  /** The payment by mail that waits. */
  waiting: Sale | null
  offer: Offer
  look: Look
  visit: Visit
  pays: Paid | ((order: Order) => Paid)
  sendsMail: boolean
  guessesLeft: number
  now: Date
}

const nothingSaid: Paid = { kind: 'not_now', cause: 'The test said nothing.' }

export function fakeCheckout(change: Partial<Offer> = {}, visit: Partial<Visit> = {}): Fake {
  const app = Fastify()
  givePlacesBack(app)
  const known = {
    orders: [],
    asked: [],
    proven: [],
    proofs: new Map<string, Proof>(),
    customers: new Map<string, ProvenCustomer>(),
    visits: new Map<string, Visit>(),
  }
  const rest = { look: plainLook, sendsMail: true, guessesLeft: 15, now: noon, pays: nothingSaid, waiting: null }
  const shown = { offer: { ...offer, ...change }, visit: { ...nobodyYet, ...visit } }
  const state: Omit<Fake, 'ports'> = { app, ...known, ...rest, ...shown }
  const ports = portsOf(state)
  void app.register(async scope => {
    checkoutRoutes(scope, ports)
    scope.get('/offers/:offer', async (request, reply) =>
      showCheckout(ports, request, reply, await waitingAt(ports, request)),
    )
  })
  return Object.assign(state, { ports })
}

function portsOf(fake: Omit<Fake, 'ports'>): CheckoutPorts {
  let made = 0
  return {
    find: async id =>
      id === fake.offer.id ? { offer: fake.offer, merchant, look: fake.look, isMailed: fake.sendsMail } : null,
    findWaiting: async (_, transactionId) => (fake.waiting?.transaction.id === transactionId ? fake.waiting : null),
    visit: async (_, secret) => fake.visits.get(secret ?? '') ?? fake.visit,
    async pay(_, order) {
      fake.orders.push(order)
      return typeof fake.pays === 'function' ? fake.pays(order) : fake.pays
    },
    async mayGuess(_, __, isRight) {
      if (!isRight && fake.guessesLeft > 0) fake.guessesLeft--
      else if (fake.guessesLeft === 0) return { ok: false, retryAfterS: 120 }
      return { ok: true }
    },
    proofs: proofsOf(fake),
    newSecret: () => checkoutSecret(fake.now, String(made++).padStart(43, 's')),
    formToken: about => Buffer.from(about).toString('base64url'),
    isFormToken: (about, given) => Buffer.from(about).toString('base64url') === given,
    isSandbox: true,
    baseUrl: () => 'https://pay.example/till',
    now: () => fake.now,
  }
}

function proofsOf(fake: Omit<Fake, 'ports'>): CheckoutPorts['proofs'] {
  return {
    async ask(_, asked) {
      fake.asked.push(asked)
      return { ok: true }
    },
    find: async (_, secret) => fake.proofs.get(secret) ?? null,
    whoIs: async (_, email) => fake.customers.get(email) ?? { email, customer: null, cards: [] },
    cardToConfirm: async (_, email) => fake.customers.get(email)?.cards[0] ?? null,
    async use(_, secret, checkout) {
      const proof = fake.proofs.get(secret)
      if (proof?.state !== 'open') return false
      fake.proofs.set(secret, { ...proof, state: 'used' })
      fake.proven.push(checkout)
      const proven = fake.customers.get(proof.email) ?? { email: proof.email, customer: null, cards: [] }
      fake.visits.set(checkout, { ...(fake.visits.get(checkout) ?? fake.visit), proven })
      return true
    },
    async confirmCard(_, secret, checkout) {
      const proof = fake.proofs.get(secret)
      const visit = fake.visits.get(checkout)
      if (proof?.state !== 'open' || !visit?.standing?.card) return false
      fake.proofs.set(secret, { ...proof, state: 'used' })
      const card = { ...visit.standing.card, confirmedAt: fake.now }
      fake.visits.set(checkout, { ...visit, standing: { ...visit.standing, card } })
      return true
    },
  }
}

export interface Seen {
  readonly status: number
  readonly text: string
  readonly headers: { readonly [name: string]: unknown }
}

export async function look(fake: Fake, query = '', headers: { [name: string]: string } = {}): Promise<Seen> {
  const answer = await fake.app.inject({ url: `/offers/${fake.offer.id}${query}`, headers })
  return { status: answer.statusCode, text: answer.body, headers: answer.headers }
}

type Form = { readonly [name: string]: string }

export async function send(fake: Fake, form: Form, path = '', headers: Form = {}): Promise<Seen> {
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const payload = new URLSearchParams(form).toString()
  const url = `/offers/${fake.offer.id}${path}`
  const answer = await fake.app.inject({ method: 'POST', url, headers: { ...type, ...headers }, payload })
  return { status: answer.statusCode, text: answer.body, headers: answer.headers }
}

/** What the page's form would send by itself. */
export function hiddenIn({ text }: Seen): Form {
  const fields = text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)
  return Object.fromEntries([...fields].map(([, name = '', value = '']) => [name, value]))
}

export const goodCard: Form = { number: '4111 1111 1111 1111', expiry: '08/29', cvc: '123' }
export const ada: Form = { email: 'Ada@Example.com', first_name: 'Ada', last_name: 'Lovelace' }
