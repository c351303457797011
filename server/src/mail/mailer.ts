// Mail out: plain text, through the operator's relay. Every wait has an end.

import { setTimeout as delay } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { maskEmails } from '../core/email.ts'

export interface Mail {
  /** The same for the same news, so that a mail which is sent twice can be known as one. */
  readonly about: string
  readonly to: { readonly name: string; readonly address: string }
  readonly subject: string
  readonly text: string
}

/** refused: the relay will never take it. not_now: it may later. A cause goes to the log, and names nobody. */
export type MailOutcome =
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly cause: string }
  | { readonly kind: 'not_now'; readonly cause: string }

export type SendMail = (mail: Mail) => Promise<MailOutcome>

const connectMaxMs = 5_000
const silenceMaxMs = 10_000
/** A relay that drips is never silent. */
const allInMaxMs = 20_000

/** `relay` is an smtp:// or smtps:// URL, which may hold credentials; `domain` is where our mail comes from. */
export function createMailer(relay: string, domain: string): SendMail {
  const transport = createTransport({
    ...relayOptions(new URL(relay)),
    dnsTimeout: connectMaxMs,
    connectionTimeout: connectMaxMs,
    greetingTimeout: connectMaxMs,
    socketTimeout: silenceMaxMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const from = { name: 'Tillbell', address: `no-reply@${domain}` }
  return async ({ about, to, subject, text }) => {
    const mail = {
      from,
      to: { name: onOneLine(to.name), address: to.address },
      // As an object: text would be read as a list, in which one address can stand for another.
      envelope: { from: from.address, to: { name: '', address: to.address } },
      messageId: `<${about}@${domain}>`,
      subject: onOneLine(subject),
      text,
      headers: { 'Auto-Submitted': 'auto-generated' },
    }
    const tooLate = delay(allInMaxMs, { kind: 'not_now', cause: 'It took too long.' } as const, { ref: false })
    return Promise.race([transport.sendMail(mail).then(() => ({ kind: 'taken' }) as const, outcomeOf), tooLate])
  }
}

/** Read here, and not by the client, which would take any option from the query: one turns off the check of certificates. */
function relayOptions({ protocol, hostname, port, username, password }: URL) {
  const secure = protocol === 'smtps:'
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
  return {
    host,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    // A password does not leave this machine unsealed.
    requireTLS: username !== '' && !isThisMachine(host),
    ...(username !== '' && { auth }),
  }
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host)
}

/** Nothing that a merchant is called can begin a header, or a line, of its own. */
export function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}

/** A mail or an address that the relay refuses for good. That it does not let us in is the operator's to mend. */
function outcomeOf(error: unknown): MailOutcome {
  const { code, responseCode = 0, message } = error as { code?: string; responseCode?: number; message: string }
  const isForGood = (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode >= 500
  return { kind: isForGood ? 'refused' : 'not_now', cause: maskEmails(message) }
}
