// A service that takes mail, with all that is around it: DNS that has customers' keys, the relay that its own mail goes to,
// and a merchant with an offer, whose application hears hooks.

import type { Client } from './client.ts'
import { type DnsReply, type DnsServer, type RecordType, startDns } from './dns-server.ts'
import { type KeptMail, type MailRelay, startRelay } from './mail-relay.ts'
import { answersOf, type Domain, domain, type MailParts, send, sign, write } from './mailbox.ts'
import { startTestService, type TestService } from './service.ts'
import { until } from './until.ts'

export const mailDomain = 'pay.test'

export interface MailWorld {
  readonly service: TestService
  readonly dns: DnsServer
  readonly relay: MailRelay
  readonly customers: Domain
  /** What DNS says instead, where somebody breaks it. */
  dnsSays: ((type: RecordType, name: string) => DnsReply) | null
  newShop(): Promise<Shop>
  stop(): Promise<void>
}

export interface Shop {
  readonly rest: Client & { readonly merchant: string }
  newOffer(some?: { readonly [name: string]: string | number }): Promise<string>
  /** Brought by the merchant, who answers for it. */
  newCard(email: string, number?: string): Promise<string>
  addressOf(offer: string): string
  /** What the link of this offer for this customer fills in: sent from their mailbox, it pays at once. */
  personalMail(offer: string, email: string): Promise<FilledMail>
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
  transactions(): Promise<any[]>
  /** Waits until so many have left Processing. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
  settled(count: number): Promise<any[]>
}

export interface FilledMail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** What a mail program makes of a mailto link. */
export function filledBy(mailTo: string): FilledMail {
  const { pathname, searchParams } = new URL(mailTo)
  return { to: pathname, subject: searchParams.get('subject') ?? '', text: searchParams.get('body') ?? '' }
}

export async function startMailWorld(settings: { readonly [name: string]: string } = {}): Promise<MailWorld> {
  const customers = domain('example.org')
  const answers = answersOf(customers)
  const dns = await startDns((type, name) => (world.dnsSays ?? answers)(type, name))
  const relay = await startRelay()
  const service = await startTestService({
    TILLBELL_DNS: dns.address,
    TILLBELL_MAIL_DOMAIN: mailDomain,
    TILLBELL_MAIL_RELAY: `smtp://127.0.0.1:${relay.port}`,
    TILLBELL_MAIL_INBOUND_SECRET: 'secret of the provider',
    ...settings,
  })
  const world: MailWorld = {
    service,
    dns,
    relay,
    customers,
    dnsSays: null,
    newShop: () => newShop(service),
    async stop() {
      await service.stop()
      await Promise.all([dns.close(), relay.close()])
    },
  }
  return world
}

async function newShop(service: TestService): Promise<Shop> {
  const rest = await service.newMerchant()
  const transactions = async () => (await rest.ask('transactions?limit=100')).json
  return {
    rest,
    newOffer: (some = {}) => rest.makeOffer({ title: 'Brass bell', ...some }),
    newCard: (email, number) => rest.storeCard(number, { email, first_name: 'Ada' }),
    addressOf: offer => `payment-id-${offer}@${mailDomain}`,
    async personalMail(offer, email) {
      const { status, text, json } = await rest.ask(`offers/${offer}/links`, { form: { email } })
      if (status !== 200) throw new Error(text)
      return filledBy(json.link.mail_to)
    },
    transactions,
    async settled(count) {
      let all = await transactions()
      await until(`${count} transactions settled`, async () => {
        all = await transactions()
        return all.filter(({ status }: { status: string }) => status !== 'Processing').length >= count
      })
      return all
    },
  }
}

/** As a customer's provider sends it: signed, over SMTP. Answers what the server said. */
export async function sendSigned(world: MailWorld, from: string, to: string, parts: MailParts = {}): Promise<string> {
  const mail = await sign(write(from, { to, ...parts }), { by: world.customers })
  return send(world.service.mailPort, mail, { from, to })
}

/** The customer presses the link that is theirs, and send. */
export async function sendPersonal(
  world: MailWorld,
  shop: Shop,
  from: string,
  offer: string,
  parts: MailParts = {},
): Promise<string> {
  const { to, ...words } = await shop.personalMail(offer, from)
  return sendSigned(world, from, to, { ...words, ...parts })
}

/** Mails to an address, once there are so many. */
export async function mailsTo(world: MailWorld, address: string, count: number): Promise<readonly KeptMail[]> {
  const to = () => world.relay.mails.filter(mail => mail.to.includes(address))
  await until(`${count} mails to ${address}`, async () => to().length >= count)
  return to()
}
