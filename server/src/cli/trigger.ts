// tillbell trigger: makes the real thing happen in the sandbox, so that its real hooks are sent.

import { isListenerUrl } from '../core/hook-listener.ts'
import { nearest } from '../core/nearest.ts'
import { type Call, type Command, exitCodes, jsonOption, UsageError } from './command.ts'
import { type Remote, remoteFrom, remoteOptions } from './remote.ts'
import { asTable } from './table.ts'
import { isTriggerName, type TriggerKind, triggerKinds } from './trigger-kinds.ts'
import {
  answerTo,
  cardFor,
  charge,
  goOn,
  hooksOf,
  type OwedHook,
  offerFor,
  refuseLive,
  type Stepped,
  testGateway,
} from './trigger-till.ts'

export const trigger: Command = {
  positionals: ['KIND'],
  choices: { KIND: Object.keys(triggerKinds) },
  options: {
    amount: {
      type: 'amount',
      says: 'What to charge; 25.00 by default. Some amounts fail on purpose: docs/sandbox.md.',
    },
    offer: { type: 'id', says: 'The offer to charge, instead of one of its own.' },
    ...remoteOptions,
    json: jsonOption,
  },
  notes: ['KIND is one of:', ...kindLines()],
  examples: ['tillbell trigger transaction', 'tillbell trigger refund --amount 12.50'],
  async run(call) {
    const kind = kindFrom(call)
    const asked = { offer: textFrom(call, 'offer'), amount: textFrom(call, 'amount') }
    if (asked.offer !== null && asked.amount !== null)
      throw new UsageError('An offer has its own amount: give --offer or --amount, not both.')
    const remote = await remoteFrom(call)
    await refuseLive(remote)
    const happened = await makeHappen(remote, kind, asked)
    const hooks = await hooksOf(remote, happened.transaction)
    if (call.options.json === true) call.print(asJson(happened, hooks))
    else call.print(asText(kind, happened, await Promise.all(hooks.map(hook => shownHook(remote, hook)))))
    return happened.asWanted ? exitCodes.done : exitCodes.failed
  },
}

interface Happened extends Stepped {
  /** Every step, as it left the transaction. */
  readonly steps: readonly Stepped[]
  /** False: something came in between, such as Pre-Sale. */
  readonly asWanted: boolean
}

async function makeHappen(
  remote: Remote,
  kind: TriggerKind,
  asked: { readonly offer: string | null; readonly amount: string | null },
): Promise<Happened> {
  const gateway = await testGateway(remote)
  const card = await cardFor(remote, gateway, kind.card)
  const offer = await offerFor(remote, gateway, asked)
  const first = await charge(remote, offer, card, kind)
  const isCharged = first.transaction.status === kind.charged
  if (!isCharged || kind.next === null) return { ...first, steps: [first], asWanted: isCharged }
  const second = await goOn(remote, first.transaction, kind.next)
  const asWanted = second.refusal === null && second.transaction.in_doubt !== true
  return { ...second, steps: [first, second], asWanted }
}

function kindFrom({ positionals }: Call): TriggerKind {
  const given = positionals[0] ?? ''
  if (!isTriggerName(given)) throw new UsageError(noSuchKind(given))
  return triggerKinds[given]
}

/** Some write the kind of the hook that they want. */
function noSuchKind(given: string): string {
  const names = Object.keys(triggerKinds)
  const telling = Object.entries(triggerKinds).flatMap(([name, { hook }]) => (hook === given ? [name] : []))
  const near = nearest(given.toLowerCase(), names)
  const meant = telling.length > 0 ? telling.join(', ') : near
  const asking = meant === null ? '' : ` Did you mean ${meant}?`
  return `There is no KIND "${given}".${asking} It must be one of ${names.join(', ')}.`
}

function textFrom({ options }: Call, name: string): string | null {
  const given = options[name]
  if (given === undefined) return null
  if (typeof given !== 'string' || given.trim() === '') throw new UsageError(`--${name} must not be empty.`)
  return given.trim()
}

function kindLines(): string[] {
  const width = Math.max(...Object.keys(triggerKinds).map(name => name.length))
  return Object.entries(triggerKinds).map(([name, { says, hook }]) => `  ${name.padEnd(width)}  ${says} Hook: ${hook}.`)
}

interface ShownHook {
  readonly row: readonly [kind: string, state: string, url: string]
  /** Of a Pre-Sale that let the sale fail: what there is to do. */
  readonly advice: string | null
}

/** A question that was answered with no is not lost: what was answered says more than its state. */
async function shownHook(remote: Remote, hook: OwedHook): Promise<ShownHook> {
  const { kind, state, url } = hook
  if (kind !== 'pre_sale' || state !== 'dropped') return { row: [kind, state, url], advice: null }
  const { status, reason } = await answerTo(remote, hook)
  if (status !== null) {
    const advice = `Pre-Sale at ${url} was answered with ${status}: only 2xx lets a sale go on.`
    return { row: [kind, `answered ${status}`, url], advice }
  }
  const hint = isListenerUrl(url) ? ` ${listenerHint}` : ''
  return {
    row: [kind, 'no answer', url],
    advice: `Pre-Sale at ${url} was not answered: ${reason ?? 'nobody knows why.'}${hint}`,
  }
}

const listenerHint =
  'Start the app there, or stop that tillbell listen with Ctrl-C; one that was killed counts for a minute more.'

function asText(kind: TriggerKind, happened: Happened, hooks: readonly ShownHook[]): string {
  const { steps, transaction, asWanted } = happened
  const goesOn = transaction.further_action
  return [
    ...steps.map((step, index) => stepLine(step, steps[index - 1])),
    ...(goesOn === undefined ? [] : [`The customer goes on at ${goesOn.signup_url}`]),
    ...(asWanted ? [] : ['It did not go as was asked for.', ...hooks.flatMap(({ advice }) => advice ?? [])]),
    ...(hooks.length === 0
      ? []
      : [
          asTable(
            ['HOOK', 'STATE', 'TO'],
            hooks.map(({ row }) => row),
          ),
        ]),
    // What did not happen owes nobody a hook, whoever listens.
    ...(!asWanted || hooks.some(({ row: [name] }) => name === kind.hook) ? [] : [nobodyIsTold(kind.hook)]),
  ].join('\n')
}

/** What a step left as it was is not said again. */
function stepLine({ transaction, refusal }: Stepped, before: Stepped | undefined): string {
  const { id, status, amount, dispute } = transaction
  const isSame = before?.transaction.status === status && before.transaction.amount === amount
  return [
    ...(isSame ? [] : [`Transaction ${id} is ${status} (${amount}).`]),
    ...(dispute === undefined ? [] : [`Its dispute over ${dispute.amount} is ${dispute.status}.`]),
    ...(refusal === null ? [] : [refusal]),
  ].join(' ')
}

function nobodyIsTold(hook: TriggerKind['hook']): string {
  return hook === 'pre_sale'
    ? 'Nobody was asked: there is no endpoint for pre_sale; run tillbell listen.'
    : `Nothing will be sent: no endpoint for this kind (${hook}); run tillbell listen.`
}

function asJson({ transaction, asWanted, refusal }: Happened, hooks: readonly OwedHook[]): string {
  return JSON.stringify({ transaction, as_wanted: asWanted, refusal, hooks })
}
