// tillbell mail ingest

import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { isEmail, lowerCaseEmail } from '../core/email.ts'
import { verdictView } from '../core/shown-letter.ts'
import { inboundPorts, mailResolver } from '../join-letters.ts'
import { type Envelope, mailBytesMax, type Taken } from '../mail/in/ports.ts'
import { readInThisThread } from '../mail/in/read-in-this-thread.ts'
import { takeIn } from '../mail/in/take-in.ts'
import { type Call, type Command, exitCodes, FailedError, jsonOption, UsageError } from './command.ts'
import { withFoundation } from './key.ts'
import { verdictLines } from './mail-verdict.ts'
import { unreadable } from './unreadable.ts'

const tooBig: Taken = { kind: 'refused', enhanced: '5.3.4', sentence: 'The mail is too big.' }

export const mailIngest: Command = {
  positionals: ['FILE'],
  options: {
    'rcpt-to': { type: 'address', says: 'To whom it was sent; by default what its header says.' },
    'mail-from': { type: 'address', says: 'The sender of the envelope, whom SPF is about; empty for a bounce.' },
    'client-address': { type: 'ip', says: 'Who brought it, for SPF.' },
    helo: { type: 'name', says: 'How they greeted, for SPF.' },
    json: jsonOption,
  },
  examples: ['tillbell mail ingest letter.eml'],
  async run(call) {
    const envelope = envelopeOf(call)
    const raw = await readMail(call.positionals[0] ?? '')
    let isTaken = false
    const ended = await withFoundation(call, async foundation => {
      const ports = { ...inboundPorts(foundation, mailResolver(foundation).resolve), reader: readInThisThread }
      const taken = raw.length > mailBytesMax ? tooBig : await takeIn(ports, envelope, raw)
      call.print(call.options.json === true ? JSON.stringify(asJson(taken)) : asText(taken))
      isTaken = taken.kind === 'taken'
    })
    return isTaken ? ended : exitCodes.failed
  },
}

async function readMail(file: string): Promise<Buffer> {
  if (file === '-') return buffer(process.stdin)
  return readFile(file).catch(error => {
    throw new FailedError(unreadable(file, error))
  })
}

function envelopeOf(call: Call): Envelope {
  const said = (name: string) => {
    const value = call.options[name]
    return typeof value === 'string' ? value : null
  }
  for (const name of ['rcpt-to', 'mail-from']) {
    const given = said(name)
    if (given !== null && !isEmail(given) && !(name === 'mail-from' && given === ''))
      throw new UsageError(`--${name} must be an address.`)
  }
  if (isIP(said('client-address') ?? '::') === 0) throw new UsageError('--client-address must be an IP address.')
  const address = (name: string) => {
    const given = said(name)
    return given === null ? null : lowerCaseEmail(given)
  }
  return {
    mailFrom: address('mail-from'),
    rcptTo: address('rcpt-to'),
    clientAddress: said('client-address'),
    helo: said('helo'),
  }
}

function asJson(taken: Taken): object {
  if (taken.kind === 'taken')
    return { outcome: 'taken', letter: taken.id, known: taken.known, verdict: verdictView(taken.verdict) }
  if (taken.kind === 'dropped') return { outcome: 'dropped', why: taken.why }
  return { outcome: taken.kind, code: taken.enhanced, why: taken.sentence }
}

function asText(taken: Taken): string {
  if (taken.kind === 'dropped') return `Dropped, and never answered: ${taken.why}`
  if (taken.kind === 'refused') return `Refused (${taken.enhanced}): ${taken.sentence}`
  if (taken.kind === 'not_now') return `Not taken now (${taken.enhanced}): ${taken.sentence}`
  const { id, known, verdict } = taken
  const first = known
    ? `Known already as letter ${id}: nothing is done again. This copy, as judged now:`
    : `Taken as letter ${id}.`
  return [first, ...verdictLines(verdict)].join('\n')
}
