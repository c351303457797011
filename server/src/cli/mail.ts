// tillbell mail list | show

import { lowerCaseEmail } from '../core/email.ts'
import { type LetterId, type MerchantId, parseUuid, type TransactionId } from '../core/ids.ts'
import { isoTime } from '../core/sale.ts'
import { letterView, type ShownLetter, type ShownMail } from '../core/shown-letter.ts'
import type { Foundation } from '../foundation.ts'
import { belongsTo } from '../setup/merchant.ts'
import { findLetter, findRawLetter, listLetters } from '../store/shown-letters.ts'
import {
  type Call,
  type Command,
  FailedError,
  jsonOption,
  merchantOption,
  NotFoundError,
  textOption,
  UsageError,
} from './command.ts'
import { knownMerchant, withFoundation } from './key.ts'
import { idOption, limitOption, limitOptionHelp } from './list-options.ts'
import { verdictLines } from './mail-verdict.ts'
import { asTable } from './table.ts'

export const mailList: Command = {
  positionals: [],
  options: {
    merchant: merchantOption,
    transaction: { type: 'id', says: 'Only those that this Transaction came of.' },
    from: { type: 'address', says: 'Only those from this address.' },
    proven: { type: 'yes|no', says: 'Only those whose sender was believed, or was not.' },
    limit: limitOptionHelp,
    after: { type: 'id', says: 'Go on after this letter.' },
    json: jsonOption,
  },
  examples: ['tillbell mail list --merchant m_… --from ada@example.com'],
  run: call => {
    const filter = {
      transaction: idOption<TransactionId>(call, 'transaction'),
      email: fromOption(call),
      proven: provenOption(call),
      after: idOption<LetterId>(call, 'after'),
      limit: limitOption(call),
    }
    return withFoundation(call, async foundation => {
      const letters = await listLetters(foundation.sql, await knownMerchant(call, foundation), filter)
      if (call.options.json === true) call.print(JSON.stringify(letters.map(letterView)))
      else call.print(letters.length === 0 ? 'There are none.' : asTable(head, letters.map(rowOf)))
    })
  },
}

function fromOption(call: Call): string | null {
  return call.options.from === undefined ? null : lowerCaseEmail(textOption(call, 'from'))
}

function provenOption(call: Call): boolean | null {
  if (call.options.proven === undefined) return null
  const given = textOption(call, 'proven')
  if (given !== 'yes' && given !== 'no') throw new UsageError('--proven must be yes or no.')
  return given === 'yes'
}

const head = ['ID', 'RECEIVED', 'FROM', 'BELIEVED', 'STATE', 'TRANSACTION', 'MAILS']

function rowOf({ id, receivedAt, sender, isProven, state, transactionId, mails }: ShownLetter): string[] {
  const told = mails.map(mail => `${mail.kind} ${mail.state}`).join(', ')
  return [id, isoTime(receivedAt), sender ?? '-', isProven ? 'yes' : 'no', state, transactionId ?? '-', told]
}

export const mailShow: Command = {
  positionals: ['LETTER'],
  options: {
    merchant: merchantOption,
    raw: { type: 'flag', says: 'The mail itself, as long as it is kept. Card numbers in it are masked.' },
    json: jsonOption,
  },
  examples: ['tillbell mail show LETTER --merchant m_…'],
  run: call =>
    withFoundation(call, async foundation => {
      const merchantId = await knownMerchant(call, foundation)
      const id = parseUuid<LetterId>(call.positionals[0] ?? '')
      const letter = id === null ? null : await findLetter(foundation.sql, merchantId, id)
      if (letter === null) throw new NotFoundError('That merchant has no such letter.')
      const raw = call.options.raw === true ? await openRaw(foundation, merchantId, letter.id) : null
      if (call.options.json === true)
        call.print(JSON.stringify({ ...letterView(letter), ...(raw !== null && { raw: raw.toString('utf8') }) }))
      // Its own bytes: a mail is of any charset.
      else if (raw !== null) process.stdout.write(raw)
      else call.print(asText(letter))
    }),
}

async function openRaw({ sql, sealer }: Foundation, merchantId: MerchantId, id: LetterId): Promise<Buffer> {
  const sealed = await findRawLetter(sql, merchantId, id)
  if (sealed === null) throw new FailedError('The mail itself is no longer kept.')
  return Buffer.from(sealer.open(sealed, belongsTo.letter(merchantId, id)), 'latin1')
}

function asText(letter: ShownLetter): string {
  const { id, receivedAt, offerId, state, transactionId, closedBecause, verdict, mails } = letter
  const nothing = closedBecause === null ? 'nothing' : `nothing. ${closedBecause}`
  const cameTo = transactionId ?? (state === 'waiting' ? 'nothing yet' : nothing)
  const facts = { id, 'received at': isoTime(receivedAt), offer: offerId, state, 'came to': cameTo }
  return [
    ...Object.entries(facts).map(([name, value]) => `${name}: ${value}`),
    '',
    ...(verdict === null ? ['Its customer was erased.'] : verdictLines(verdict)),
    '',
    ...(mails.length === 0 ? ['Nobody was told by mail.'] : [asTable(mailHead, mails.map(mailRow))]),
  ].join('\n')
}

const mailHead = ['MAIL', 'STATE', 'ATTEMPTS', 'CREATED', 'CAUSE']

function mailRow({ kind, state, attempts, createdAt, cause }: ShownMail): string[] {
  return [kind, state, String(attempts), isoTime(createdAt), cause ?? '']
}
