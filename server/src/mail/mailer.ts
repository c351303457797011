// Mail out, through the operator's relay. Every wait has an end.

import { setTimeout as delay } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { maskEmails } from '../core/email.ts'
import type { MerchantId } from '../core/ids.ts'

export interface Mail {
  /** The same for the same news, so that a mail which is sent twice can be known as one. */
  readonly about: string
  readonly to: { readonly name: string; readonly address: string }
  readonly subject: string
  readonly text: string
  /** Says the same as the text. */
  readonly html?: string
  /** On whose behalf; left out: on our own. */
  readonly merchant?: MailMerchant
  /** It answers a mail, of this Message-ID where that is known. */
  readonly answers?: { readonly messageId: string | null }
  /** Its link lets whoever has it in: where mails are shown instead of sent, not to everybody. */
  readonly isPrivate?: true
}

export interface MailMerchant {
  readonly id: MerchantId
  readonly name: string
  /** Where its customers' answers go. */
  readonly supportEmail: string | null
}

/** What our mails are signed with, so that whoever gets one can tell that it is ours. */
export interface DkimKey {
  readonly selector: string
  /** RSA, as PEM. */
  readonly privateKey: string
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

/** What a signature covers, where a mail has it. */
const signedFields = [
  ...['From', 'To', 'Subject', 'Date', 'Message-ID', 'Reply-To', 'In-Reply-To', 'List-Id', 'Auto-Submitted'],
  ...['Content-Type', 'MIME-Version'],
]

/** `relay` is an smtp:// or smtps:// URL, which may hold credentials; `domain` is where our mail comes from. */
export function createMailer(relay: string, domain: string, dkim: DkimKey | null): SendMail {
  const transport = createTransport({
    ...relayOptions(new URL(relay)),
    dnsTimeout: connectMaxMs,
    connectionTimeout: connectMaxMs,
    greetingTimeout: connectMaxMs,
    socketTimeout: silenceMaxMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(dkim !== null && { dkim: signedWith(dkim, domain) }),
  })
  return async mail => {
    const tooLate = delay(allInMaxMs, { kind: 'not_now', cause: 'It took too long.' } as const, { ref: false })
    const sending = transport.sendMail(messageOf(mail, domain))
    return Promise.race([sending.then(() => ({ kind: 'taken' }) as const, outcomeOf), tooLate])
  }
}

function signedWith({ selector, privateKey }: DkimKey, domain: string) {
  return { domainName: domain, keySelector: selector, privateKey, headerFieldNames: signedFields.join(':') }
}

function messageOf({ about, to, subject, text, html, merchant, answers }: Mail, domain: string) {
  const from = { name: onOneLine(merchant?.name ?? 'Tillbell'), address: `no-reply@${domain}` }
  const support = merchant?.supportEmail ?? null
  const answered = messageIdIn(answers?.messageId ?? null)
  return {
    from,
    to: { name: onOneLine(to.name), address: to.address },
    // As an object: text would be read as a list, in which one address can stand for another.
    envelope: { from: from.address, to: { name: '', address: to.address } },
    messageId: `<${about}@${domain}>`,
    subject: onOneLine(subject),
    text,
    ...(html !== undefined && { html }),
    ...(support !== null && { replyTo: { name: from.name, address: support } }),
    ...(answered !== null && { inReplyTo: answered, references: answered }),
    headers: {
      'Auto-Submitted': answers === undefined ? 'auto-generated' : 'auto-replied',
      'X-Auto-Response-Suppress': 'All',
      ...(merchant !== undefined && { 'List-Id': `<${merchant.id}.${domain}>` }),
    },
  }
}

/** A stranger wrote it: what is none is left out. */
function messageIdIn(given: string | null): string | null {
  return given !== null && /^<[!-;=?-~]{1,250}>$/.test(given) ? given : null
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
