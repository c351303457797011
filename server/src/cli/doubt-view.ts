// Doubt for people at a terminal.

import { sentencesOf } from '../core/for-person.ts'
import { displayAmount } from '../core/money.ts'
import type { Ask } from '../core/ports.ts'
import { isoTime } from '../core/sale.ts'
import { type Doubt, doubtView, type WholeDoubt } from '../core/shown-doubt.ts'
import { asTable } from './table.ts'

const timeOrNull = (time: Date | null) => (time === null ? null : isoTime(time))

const head = ['OPERATION', 'KIND', 'AMOUNT', 'SINCE', 'OUTCOME', 'ASKS', 'NEXT ASK']

/** Each with where it is and what is known of it under it: a terminal is not wide enough for all in one line. */
export function doubtTable(doubts: readonly Doubt[]): string {
  const [top = '', ...rows] = asTable(head, doubts.map(rowOf)).split('\n')
  return [top, ...doubts.flatMap((doubt, index) => [rows[index] ?? '', ...belowRow(doubt)])].join('\n')
}

function rowOf({ id, kind, amountMinor, currency, createdAt, outcome, asks, nextAskAt }: Doubt): string[] {
  const what = [id, kind, displayAmount(amountMinor, currency), isoTime(createdAt), outcome]
  return [...what, String(asks), timeOrNull(nextAskAt) ?? '-']
}

function belowRow(doubt: Doubt): string[] {
  const { merchantId, transactionId, gatewayId, notSentCode, declineCode, cause, forPerson } = doubt
  const code = notSentCode ?? declineCode
  return [
    `  transaction ${transactionId} of ${merchantId}, at ${gatewayId}`,
    ...(code === null ? [] : [`  code: ${code}`]),
    ...(cause === null || cause === forPerson ? [] : [`  last heard: ${cause}`]),
    ...sentencesOf(doubt).map(sentence => `  for a person: ${sentence}`),
  ]
}

export function wholeText({ operation, asked, resolutions }: WholeDoubt): string {
  const { currency: _, more_for_person: more, ...facts } = doubtView(operation)
  const shown = { ...facts, amount: displayAmount(operation.amountMinor, operation.currency) }
  const lines = Object.entries(shown).flatMap(([name, value]) => [
    `${name.replaceAll('_', ' ')}: ${value ?? '-'}`,
    ...(name === 'for_person' ? more.map(sentence => `for person: ${sentence}`) : []),
  ])
  const decided = resolutions.map(
    ({ at, verdict, by, note, answers }) =>
      `${isoTime(at)}  ${by}: ${verdict}. ${note}${answers === null ? '' : `\n  in answer to: ${answers}`}`,
  )
  return [
    ...lines,
    '',
    ...askLines(asked, operation),
    ...(decided.length > 0 ? ['', 'Decided:', ...decided] : []),
  ].join('\n')
}

const steps: { readonly [step in Ask['step']]: string } = {
  send_again: 'sent again under the same id',
  fence_and_look_up: 'fenced, then looked up',
  look_up: 'looked up',
  leave_to_a_person: 'left to a person',
}

/** Each with what was heard under it. */
function askLines(asked: readonly Ask[], { nextAskAt }: Doubt): string[] {
  if (asked.length === 0) return [nextAskAt === null ? 'It was not asked about again.' : 'Not asked yet.']
  const rows = asked.map(({ number, at, step }) => [String(number), isoTime(at), steps[step]])
  const [top = '', ...lines] = asTable(['ASK', 'AT', 'WHAT WAS DONE'], rows).split('\n')
  return [top, ...asked.flatMap(({ heard }, index) => [lines[index] ?? '', ...heard.map(line => `  ${line}`)])]
}
