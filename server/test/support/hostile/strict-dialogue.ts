// An SMTP session, read afterwards from all that was said and all that was replied.

import assert from 'node:assert/strict'
import { hasBareLineFeed, hasStrayBytes } from '../../../src/mail/in/lines.ts'
import { mailBytesMax } from '../../../src/mail/in/ports.ts'

export interface Reply {
  readonly code: string
  readonly text: string
}

export function repliesIn(heard: string): Reply[] {
  const replies = [...heard.matchAll(/((?:\d{3}-[^\r\n]*\r\n)*)(\d{3})(?: ([^\r\n]*))?\r\n/g)]
  assert.equal(replies.map(([all]) => all).join(''), heard, 'a reply that is none')
  return replies.map(([text, , code = '']) => ({ code, text }))
}

export interface Read {
  readonly mails: readonly string[]
  readonly isOver: boolean
}

/** As the replies have it. Every command has one reply, and DATA two. */
export function readStrictly(said: string, replies: Reply[]): Read {
  const mails: string[] = []
  const allowed = { mail: false, rcpt: false }
  let rest = said
  for (;;) {
    const [line, command = ''] = /^([^\n]*?)\r?\n/.exec(rest) ?? []
    const code = line === undefined ? undefined : replies.shift()?.code
    if (line === undefined || code === undefined || code === '421' || code === '221')
      return { mails, isOver: code !== undefined }
    rest = rest.slice(line.length)
    const verb = command.split(' ', 1)[0]?.toUpperCase()
    const isDone = code.startsWith('2')
    assert.ok(!(isDone && verb === 'RCPT' && allowed.rcpt), 'a second recipient is taken')
    if (isDone && verb === 'MAIL') allowed.mail = true
    else if (isDone && verb === 'RCPT') allowed.rcpt = true
    else if (isDone && ['EHLO', 'HELO', 'RSET'].includes(verb ?? ''))
      Object.assign(allowed, { mail: false, rcpt: false })
    if (code !== '354') continue
    assert.ok(verb === 'DATA' && allowed.mail && allowed.rcpt, 'a mail that was not announced is let in')
    const end = rest.startsWith('.\r\n') ? -2 : rest.indexOf('\r\n.\r\n')
    if (end === -1) return { mails, isOver: false }
    const mail = rest.slice(0, end + 2).replace(/(^|\r?\n)\.\./g, '$1.') // as the library does, which we refuse where it is no CRLF
    rest = rest.slice(end + 5)
    const answer = replies.shift()?.code
    const bytes = Buffer.from(mail, 'latin1')
    const isFine = !hasStrayBytes(bytes) && !hasBareLineFeed(bytes) && bytes.length <= mailBytesMax
    assert.equal(answer?.startsWith('2'), isFine, `${answer}: ${JSON.stringify(mail.slice(0, 200))}`)
    if (isFine) mails.push(mail)
    Object.assign(allowed, { mail: false, rcpt: false })
  }
}
