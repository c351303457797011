// Joins mail out to the world: the relay, the demo merchant's inbox, the database, the clock and the log.

import { createPrivateKey, type KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type Config, ConfigError } from './config.ts'
import type { InboxMailId, MerchantId, WorkerId } from './core/ids.ts'
import type { ServiceFacts } from './core/sale.ts'
import { demoSetting, type Foundation } from './foundation.ts'
import { announcerOf } from './join-alerts.ts'
import { joinOutbox } from './join-outbox.ts'
import { createMailer, type DkimKey, type SendMail } from './mail/mailer.ts'
import type { MailOutbox } from './mail/outbox.ts'
import { createPost, type Post } from './mail/post.ts'
import type { Logger } from './observe/log.ts'
import type { Metrics } from './observe/metrics.ts'
import { insertInboxMail } from './store/inbox-mails.ts'
import { readSetting } from './store/settings.ts'

/** For what somebody on a page asks for. */
export interface CustomerPost extends Post {
  /** Whether mail to customers of this merchant goes out. */
  reaches(merchantId: MerchantId): Promise<boolean>
}

export interface JoinedMail {
  readonly post: CustomerPost
  /** What is owed to customers by mail. */
  readonly outbox: MailOutbox
  /** Tells what is to be told by itself. */
  start(): void
  /** Lets what is on its way go out. */
  stop(): Promise<void>
}

/** `holder` is who holds what this process claims: stopped after this. */
export async function joinMail(
  foundation: Foundation,
  log: Logger,
  metrics: Metrics,
  service: ServiceFacts,
  holder: () => Promise<WorkerId>,
): Promise<JoinedMail> {
  const { mailRelay, mailDomain } = foundation.config
  // Also without a relay: whoever sets one later finds out now that the key is none.
  const dkim = await readDkimKey(foundation.config)
  const relay = mailRelay === null ? null : createMailer(mailRelay, mailDomain, dkim)
  const roadOf = roads(foundation, relay)
  const announcer = announcerOf(foundation, log, service, {
    roadOf,
    only: async () => (relay === null ? ((await demoOf(foundation)) ?? 'nobody') : null),
  })
  const post = postOf(log, roadOf)
  const outbox = joinOutbox(foundation, log, metrics, service, { roadOf, holder })
  return {
    post: { ...post, reaches: async merchantId => (await roadOf(merchantId)) !== null },
    outbox,
    start() {
      if (relay === null) log.info('TILLBELL_MAIL_RELAY is not set: no mail goes out')
      announcer.start()
      outbox.start()
    },
    stop: async () => void (await Promise.all([announcer.stop(), post.stop(), outbox.stop()])),
  }
}

type RoadOf = (merchantId: MerchantId) => Promise<SendMail | null>

/** The demo merchant's mails are shown on a page, whether or not there is a relay. */
function roads(foundation: Foundation, relay: SendMail | null): RoadOf {
  let demo: MerchantId | null = null
  return async merchantId => {
    demo ??= await demoOf(foundation)
    return merchantId === demo ? intoInbox(foundation, merchantId) : relay
  }
}

/** Null: there is none, or none yet. */
async function demoOf({ sql, config }: Foundation): Promise<MerchantId | null> {
  return config.mode === 'live' ? null : ((await readSetting(sql, demoSetting)) as MerchantId | null)
}

function intoInbox({ sql, clock, newUuid }: Foundation, merchantId: MerchantId): SendMail {
  return async ({ to, subject, text, html = '', isPrivate = false }) => {
    const mail = { at: clock.now(), toAddress: to.address, subject, text, html, isPrivate }
    await insertInboxMail(sql, merchantId, mail, () => newUuid() as InboxMailId)
    return { kind: 'taken' }
  }
}

/** What a mail says stays out of the log: it may hold a secret. */
function postOf(log: Logger, roadOf: RoadOf): Post {
  const send: SendMail = async mail => {
    const road = mail.merchant === undefined ? null : await roadOf(mail.merchant.id)
    return road === null ? { kind: 'refused', cause: 'There is no relay.' } : road(mail)
  }
  return createPost(send, {
    sent: ({ about }) => log.info({ mail: about }, 'sent a mail'),
    notSent: ({ about }, { kind, cause }) => {
      const facts = { mail: about, cause }
      if (kind === 'refused') log.warn(facts, 'the relay refused a mail')
      else log.error(facts, 'the relay took no mail')
    },
  })
}

/** Shorter ones are believed by nobody (RFC 8301). */
const rsaBitsMin = 1_024

/** Null: mails are not signed here, as where the relay signs them. */
async function readDkimKey({ mailDkimKey, mailDkimSelector }: Config): Promise<DkimKey | null> {
  if (mailDkimKey === null || mailDkimSelector === null) return null
  const privateKey = await readFile(mailDkimKey, 'utf8').catch(error => {
    throw new ConfigError(`TILLBELL_MAIL_DKIM_KEY names a file that cannot be read (${error.code}).`)
  })
  if (!isRsaKey(privateKey)) {
    throw new ConfigError(`TILLBELL_MAIL_DKIM_KEY must name an RSA private key (PEM) of at least ${rsaBitsMin} bits.`)
  }
  return { selector: mailDkimSelector, privateKey }
}

function isRsaKey(pem: string): boolean {
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    return false
  }
  return key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= rsaBitsMin
}
