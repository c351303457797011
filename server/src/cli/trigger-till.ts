// What `tillbell trigger` asks of the service, over REST: a card and an offer, those of last time where they still do, a charge and
// what follows it.

import { setTimeout as delay } from 'node:timers/promises'
import type { BehaviourName } from '../gateways/sandbox/test-cards.ts'
import { testCardThat } from '../gateways/sandbox/test-cards.ts'
import { FailedError, NotFoundError, UsageError } from './command.ts'
import { type Answer, type Remote, refusalIn } from './remote.ts'
import type { NextStep, TriggerKind } from './trigger-kinds.ts'

export interface ShownTransaction {
  readonly id: string
  readonly status: string
  readonly amount: string
  readonly in_doubt?: boolean
  readonly dispute?: { readonly status: string; readonly amount: string }
  readonly further_action?: { readonly signup_url: string }
}

/** Where it stands after a step, and what the service said against it. */
export interface Stepped {
  readonly transaction: ShownTransaction
  readonly refusal: string | null
}

interface Row {
  readonly [name: string]: unknown
}

const email = 'trigger@example.com'
const refId = 'tillbell trigger'
const usualAmount = '25.00'
/** Pre-Sale and the gateway may each take half a minute. */
const chargeTimeoutMs = 90_000

/** Asked for nothing, it only says what is missing; in live mode there is no such thing to ask. */
export async function refuseLive(remote: Remote): Promise<void> {
  const { status } = await remote.ask('POST', '/sandbox/cards', {})
  if (status === 404)
    throw new FailedError(`${remote.baseUrl} is live, and trigger is for the sandbox alone: nothing was done.`)
}

/** The test gateway: where the default one is another, cards and offers have to name it. */
export async function testGateway(remote: Remote): Promise<string> {
  const rows = rowsOf(await remote.ask('GET', '/gateways?limit=100'))
  const own = rows.filter(({ type, status }) => type === 'test' && status === 'active')
  const gateway = own.find(({ default: isDefault }) => isDefault === true) ?? own[0]
  if (gateway === undefined)
    throw new FailedError(
      'There is no active gateway of type test to charge at. Connect one: POST gateways, type=test.',
    )
  return String(gateway.id)
}

export async function cardFor(remote: Remote, gateway: string, behaviour: BehaviourName): Promise<string> {
  const { number, expiryMonth, expiryYear } = testCardThat(behaviour)
  const rows = rowsOf(await remote.ask('GET', `/credit_cards?limit=100&email=${encodeURIComponent(email)}`))
  const known = rows.find(card => card.card_mask === number.slice(-4) && card.gateway === gateway)
  if (known !== undefined) return String(known.service_token)
  const expiry = { expiry_month: expiryMonth, expiry_year: expiryYear }
  const customer = { email, first_name: 'Ada', last_name: 'Lovelace' }
  const { card } = done(await remote.ask('POST', '/sandbox/cards', { number, ...expiry, ...customer, gateway }))
  return String((card as Row).service_token)
}

/** The one that was asked for; else the one of last time; else a new one. */
export async function offerFor(
  remote: Remote,
  gateway: string,
  asked: { readonly offer: string | null; readonly amount: string | null },
): Promise<string> {
  if (asked.offer !== null) return asked.offer
  const amount = asked.amount ?? usualAmount
  const rows = rowsOf(await remote.ask('GET', '/offers?limit=100'))
  const known = rows.find(
    offer =>
      offer.ref_id === refId && offer.active === true && offer.gateway === gateway && isSame(offer.amount, amount),
  )
  if (known !== undefined) return String(known.offer_id)
  const made = { title: 'Test payment', ref_id: refId, amount, gateway }
  const { offer } = done(await remote.ask('POST', '/offers', made))
  return String((offer as Row).offer_id)
}

/** 25 is 25.00, whatever the currency writes. */
function isSame(shown: unknown, given: string): boolean {
  const plain = (text: string) => text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '')
  return plain(String(shown)) === plain(given)
}

export async function charge(
  remote: Remote,
  offer: string,
  token: string,
  { authorizationOnly }: TriggerKind,
): Promise<Stepped> {
  const body = { service_offer: offer, token, authorization_only: authorizationOnly }
  return stepped(await remote.ask('POST', '/transactions', body, { timeoutMs: chargeTimeoutMs }))
}

export async function goOn(remote: Remote, { id }: ShownTransaction, next: NextStep): Promise<Stepped> {
  const [path, body] = {
    capture: [`/transactions/${id}/capture`, {}],
    void: [`/transactions/${id}/void`, {}],
    refund: ['/transactions/refunds', { transaction: id, user: 'tillbell trigger' }],
    dispute: ['/sandbox/disputes', { transaction: id }],
  }[next] as [string, object]
  return stepped(await remote.ask('POST', path, body, { timeoutMs: chargeTimeoutMs }))
}

export interface OwedHook {
  readonly id: string
  readonly kind: string
  readonly state: string
  readonly url: string
  readonly attempts: number
}

const firstAttemptsMs = 2_000
const lookAgainMs = 100

/** What the service owes of this transaction, oldest first: once each was tried, where that does not take long. */
export async function hooksOf(
  remote: Remote,
  { id }: ShownTransaction,
  withinMs = firstAttemptsMs,
): Promise<readonly OwedHook[]> {
  const deadlineMs = performance.now() + withinMs
  for (;;) {
    const rows = rowsOf(await remote.ask('GET', `/hook_deliveries?limit=100&transaction=${id}`))
    const hooks = rows.map(owedHook).reverse()
    const isTried = hooks.every(({ state, attempts }) => state !== 'pending' || attempts > 0)
    if (isTried || performance.now() >= deadlineMs) return hooks
    await delay(lookAgainMs)
  }
}

function owedHook(row: Row): OwedHook {
  const { id, kind, state, url, attempts } = row
  return { id: String(id), kind: String(kind), state: String(state), url: String(url), attempts: Number(attempts) }
}

/** What a question was answered with; of `status` null: nothing, and `reason` says why. */
export interface QuestionAnswer {
  readonly status: number | null
  readonly reason: string | null
}

export async function answerTo(remote: Remote, { id }: OwedHook): Promise<QuestionAnswer> {
  const { hook_delivery: delivery } = done(await remote.ask('GET', `/hook_deliveries/${id}`))
  const [attempt] = (delivery as { readonly attempts: readonly QuestionAnswer[] }).attempts
  return { status: attempt?.status ?? null, reason: attempt?.reason ?? null }
}

/** A decline is what some ask for; without a record, nothing has happened at all. */
function stepped(answer: Answer): Stepped {
  const { transaction } = answer.body as { transaction?: ShownTransaction | null }
  if (transaction === undefined || transaction === null) return notDone(answer)
  return { transaction, refusal: refusalIn(answer) }
}

function done(answer: Answer): Answer['body'] {
  return refusalIn(answer) === null ? answer.body : notDone(answer)
}

/** What was asked for wrongly is said by the option that asked. */
function notDone(answer: Answer): never {
  const errors = (answer.body.errors ?? {}) as Row
  const said = refusalIn(answer) ?? 'The service did not say what became of it.'
  const sentence = said.replace(/^amount\b/, '--amount').replace(/^service_offer\b/, '--offer')
  if (answer.status === 404) throw new NotFoundError(sentence)
  throw 'amount' in errors || 'service_offer' in errors ? new UsageError(sentence) : new FailedError(sentence)
}

function rowsOf(answer: Answer): readonly Row[] {
  return (done(answer).rows ?? []) as readonly Row[]
}
