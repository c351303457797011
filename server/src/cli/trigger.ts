// tillbell trigger: makes the real thing happen in the sandbox, so that its real hooks are sent.

import { type Call, type Command, exitCodes, jsonOption, UsageError } from './command.ts'
import { nearest } from './nearest.ts'
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
    else call.print(asText(kind, happened, await Promise.all(hooks.map(hook => hookRow(remote, hook)))))
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

type HookRow = readonly [kind: string, state: string, url: string]

/** A question that was answered with no is not lost: what was answered says more than its state. */
async function hookRow(remote: Remote, hook: OwedHook): Promise<HookRow> {
  const { kind, state, url } = hook
  if (kind !== 'pre_sale' || state !== 'dropped') return [kind, state, url]
  const status = await answerTo(remote, hook)
  return [kind, status === null ? 'no answer' : `answered ${status}`, url]
}

function asText(kind: TriggerKind, happened: Happened, hooks: readonly HookRow[]): string {
  const { steps, transaction, asWanted } = happened
  const goesOn = transaction.further_action
  return [
    ...steps.map(stepLine),
    ...(goesOn === undefined ? [] : [`The customer goes on at ${goesOn.signup_url}`]),
    ...(asWanted ? [] : ['It did not go as was asked for.']),
    ...(hooks.length === 0 ? [] : [asTable(['HOOK', 'STATE', 'TO'], hooks)]),
    // What did not happen owes nobody a hook, whoever listens.
    ...(!asWanted || hooks.some(([name]) => name === kind.hook) ? [] : [nobodyIsTold(kind.hook)]),
  ].join('\n')
}

function stepLine({ transaction: { id, status, amount, dispute }, refusal }: Stepped): string {
  const disputed = dispute === undefined ? [] : [`Its dispute over ${dispute.amount} is ${dispute.status}.`]
  return [`Transaction ${id} is ${status} (${amount}).`, ...disputed, ...(refusal === null ? [] : [refusal])].join(' ')
}

function nobodyIsTold(hook: TriggerKind['hook']): string {
  return hook === 'pre_sale'
    ? 'Nobody was asked: there is no endpoint for pre_sale; run tillbell listen.'
    : `Nothing will be sent: no endpoint for this kind (${hook}); run tillbell listen.`
}

function asJson({ transaction, asWanted, refusal }: Happened, hooks: readonly OwedHook[]): string {
  return JSON.stringify({ transaction, as_wanted: asWanted, refusal, hooks })
}
