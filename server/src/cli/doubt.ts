// tillbell doubt list | show | resolve

import { mayBeCardNumber } from '../core/card-number.ts'
import { sentencesOf } from '../core/for-person.ts'
import { type OperationId, parseUuid, type TransactionId } from '../core/ids.ts'
import type { Resolution } from '../core/ports.ts'
import { resolveDoubt } from '../core/resolve.ts'
import { type Doubt, doubtView, type WholeDoubt, wholeDoubtView } from '../core/shown-doubt.ts'
import type { Foundation } from '../foundation.ts'
import { resolvePorts } from '../join-doubt.ts'
import { findDoubt, findOperationsOf, listDoubt } from '../store/doubt.ts'
import { type Call, type Command, FailedError, jsonOption, NotFoundError, textOption, UsageError } from './command.ts'
import { doubtTable, wholeText } from './doubt-view.ts'
import { knownMerchant, withFoundation } from './key.ts'

/** Of the table, which people read: programs get all of it. */
const listMax = 1_000

export const doubtList: Command = {
  positionals: [],
  options: {
    merchant: { type: 'id', says: 'Only of this merchant (m_…).' },
    all: { type: 'flag', says: 'Also what people have settled.' },
    json: jsonOption,
  },
  examples: ['tillbell doubt list --all'],
  run: call =>
    withFoundation(call, async foundation => {
      const merchantId = call.options.merchant === undefined ? null : await knownMerchant(call, foundation)
      const isJson = call.options.json === true
      const filter = { merchantId, settled: call.options.all === true, limit: isJson ? null : listMax }
      const doubts = await listDoubt(foundation.sql, filter)
      if (isJson) return call.print(JSON.stringify(doubts.map(doubtView)))
      call.print(doubts.length === 0 ? 'Nothing is in doubt.' : doubtTable(doubts))
      if (doubts.length === listMax) call.print(`These are the oldest ${listMax}. --json prints all of them.`)
    }),
}

export const doubtShow: Command = {
  positionals: ['OPERATION'],
  options: { json: jsonOption },
  examples: ['tillbell doubt show OPERATION'],
  run: call =>
    withFoundation(call, async foundation => {
      const operations = await operationsOfTransaction(call, foundation)
      if (operations.length > 0) {
        const isJson = call.options.json === true
        return call.print(isJson ? JSON.stringify(operations.map(doubtView)) : doubtTable(operations))
      }
      const doubt = await knownOperation(call, foundation)
      call.print(call.options.json === true ? JSON.stringify(wholeDoubtView(doubt)) : wholeText(doubt))
    }),
}

const verdictsByWord: { readonly [word: string]: Resolution['verdict'] } = {
  succeeded: 'succeeded',
  'not-made': 'not_made',
  dismissed: 'dismissed',
}

export const doubtResolve: Command = {
  positionals: ['OPERATION'],
  options: {
    as: {
      type: 'verdict',
      says: 'succeeded; not-made; or dismissed: what is said of it was seen to at the gateway.',
      required: true,
    },
    by: { type: 'name', says: 'Who decides it.', required: true },
    note: { type: 'text', says: 'Why: what was seen at the gateway. Kept.', required: true },
    'gateway-ref': { type: 'ref', says: "The gateway's own reference to what succeeded, where it is not known." },
    answers: { type: 'text', says: 'What is dismissed, in the words of doubt show (for a person).' },
    json: jsonOption,
  },
  examples: [
    "tillbell doubt resolve OPERATION --as succeeded --by 'Ada Lovelace' --note 'Seen in the list of the gateway.'",
  ],
  run: call => {
    const decision = decisionOf(call)
    return withFoundation(call, async foundation => {
      const { operation } = await knownOperation(call, foundation)
      const { merchantId, transactionId, id: operationId } = operation
      if (decision.verdict === 'dismissed' && decision.answers === null) throw new FailedError(whatToAnswer(operation))
      // To list and to show needs none of it.
      const { joinedFor } = await import('./joined.ts')
      const joined = await joinedFor(call, foundation)
      const ports = resolvePorts(foundation, joined.ports)
      const place = { merchantId, transactionId, operationId }
      const resolved = await resolveDoubt(ports, place, decision)
      if (resolved.kind === 'refused') throw new FailedError(resolved.sentence)
      await joined.wakeWorkers()
      const after = await knownOperation(call, foundation)
      call.print(call.options.json === true ? JSON.stringify(wholeDoubtView(after)) : said(after))
    })
  },
}

const byCharsMax = 100

function decisionOf(call: Call) {
  const verdict = verdictsByWord[textOption(call, 'as')]
  if (verdict === undefined) {
    throw new UsageError(`--as must be one of ${Object.keys(verdictsByWord).join(', ')}.`)
  }
  const gatewayRef = call.options['gateway-ref'] === undefined ? null : textOption(call, 'gateway-ref')
  if (gatewayRef !== null && verdict !== 'succeeded') throw new UsageError('--gateway-ref is for what succeeded.')
  // It is kept for ever, and goes back to the gateway with every refund.
  if (gatewayRef !== null && mayBeCardNumber(gatewayRef)) {
    throw new UsageError("--gateway-ref may be a card number: it must be the gateway's own reference.")
  }
  if (gatewayRef !== null && !/^[\x21-\x7e]{1,255}$/.test(gatewayRef)) {
    throw new UsageError('--gateway-ref must be 1 to 255 visible characters.')
  }
  const by = textOption(call, 'by')
  if (by.length > byCharsMax) throw new UsageError(`--by must have at most ${byCharsMax} characters.`)
  const answers = call.options.answers === undefined ? null : textOption(call, 'answers')
  if (answers !== null && verdict !== 'dismissed') throw new UsageError('--answers is for what is dismissed.')
  return { verdict, by, note: textOption(call, 'note'), gatewayRef, answers }
}

/** With the option as a shell takes it. */
function whatToAnswer(doubt: Doubt): string {
  const { kind } = doubt
  const options = sentencesOf(doubt).map(sentence => `--answers '${sentence.replaceAll("'", `'\\''`)}'`)
  if (options.length === 0) return `Nothing is said of the ${kind} that could be dismissed.`
  if (options.length === 1) {
    return `To dismiss what is said of the ${kind}, and only that, add ${options[0]} to the command.`
  }
  return `To dismiss one of the things that are said of the ${kind}, add one of these to the command:\n${options.join('\n')}`
}

function said({ operation, resolutions }: WholeDoubt): string {
  const { kind, transactionId, transactionStatus, nextAskAt } = operation
  const ends = { succeeded: 'succeeded', not_made: 'was not made', dismissed: 'is dismissed' }
  const verdict = resolutions.at(-1)?.verdict ?? 'dismissed'
  const recorded = `On record: the ${kind} ${ends[verdict]}. Transaction ${transactionId} is ${transactionStatus}.`
  const left = sentencesOf(operation).map(sentence => `Still for a person: ${sentence}`)
  return [recorded, ...(verdict === 'not_made' && nextAskAt !== null ? [recheckNotice] : []), ...left].join('\n')
}

const recheckNotice =
  'The gateway did not prove it, and may still carry it out. It is looked up again for three days: a success that turns up is listed by doubt list, and raises an alert.'

async function operationsOfTransaction(call: Call, { sql }: Foundation): Promise<Doubt[]> {
  const id = parseUuid<TransactionId>(call.positionals[0] ?? '')
  return id === null ? [] : findOperationsOf(sql, id)
}

async function knownOperation(call: Call, { sql }: Foundation): Promise<WholeDoubt> {
  const id = parseUuid<OperationId>(call.positionals[0] ?? '')
  const found = id === null ? null : await findDoubt(sql, id)
  if (found === null) throw new NotFoundError('There is no such operation.')
  return found
}
