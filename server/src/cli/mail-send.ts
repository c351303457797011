// tillbell mail send

import { createTransport } from 'nodemailer'
import { mailToPay, mailToPublic } from '../api/mail-to.ts'
import { knownBaseUrl } from '../base-url.ts'
import { isEmail, lowerCaseEmail } from '../core/email.ts'
import { type MerchantId, type OfferId, parseUuid } from '../core/ids.ts'
import { notForSaleSays, whyNotForSale } from '../core/offer.ts'
import { openPaymentSays } from '../core/offer-link.ts'
import type { Foundation } from '../foundation.ts'
import { sandboxSigner } from '../join-letters.ts'
import { offerLinks, ownToken } from '../join-offer-tokens.ts'
import { sandboxMailDomain } from '../mail/in/sandbox-names.ts'
import { belongsTo } from '../setup/merchant.ts'
import { findOwner } from '../store/directory.ts'
import { currentKey, findMerchant } from '../store/merchants.ts'
import { keepOfferLink } from '../store/offer-links.ts'
import { findOffer } from '../store/offers.ts'
import { type Call, type Command, exitCodes, FailedError, jsonOption, NotFoundError, UsageError } from './command.ts'
import { withFoundation } from './key.ts'
import { type Letter, signLetter, writeLetter } from './written-letter.ts'

export const mailSend: Command = {
  positionals: [],
  options: {
    from: { type: 'address', says: `The customer, at ${sandboxMailDomain}.`, required: true },
    link: { type: 'id|mailto', says: 'The offer to pay at once, with a link for this customer; or such a link.' },
    offer: {
      type: 'id',
      says: 'The offer to ask for at its public address: the customer confirms it by a mailed link.',
    },
    token: { type: 'token', says: 'A token to send alone, to the address of tokens.' },
    unsigned: { type: 'flag', says: 'Without a signature, so that its sender is not believed.' },
    port: { type: 'number', says: 'Where the service takes mail; TILLBELL_MAIL_PORT by default.' },
    json: jsonOption,
  },
  examples: [
    'tillbell mail send --from ada@example.com --link OFFER',
    'tillbell mail send --from ada@example.com --offer OFFER',
  ],
  async run(call) {
    const [from, port] = [fromOption(call), portOption(call)]
    let isTaken = false
    const ended = await withFoundation(call, async foundation => {
      const key = sandboxSigner(foundation)
      if (key === null)
        throw new FailedError(
          'This writes for customers of the sandbox alone: not in live mode, nor with TILLBELL_DNS.',
        )
      const { merchantId, ...words } = await wordsOf(call, foundation, from)
      const letter = { from, ...words }
      const written = writeLetter(letter, new Date())
      const raw = call.options.unsigned === true ? written : await signLetter(written, key)
      const said = await bring(hostOf(foundation), port, letter, raw)
      isTaken = said.startsWith('2')
      if (call.options.json === true) return call.print(JSON.stringify({ to: letter.to, said }))
      call.print(`Mail to ${letter.to}: ${said}`)
      if (!isTaken) return
      if (call.options.link === undefined)
        call.print(`Nothing is charged yet: ${from} gets an email, and pays with the button behind its link.`)
      call.print(`tillbell mail list --merchant ${merchantId ?? 'MERCHANT'} --from ${from} shows what came of it.`)
    })
    return isTaken ? ended : exitCodes.failed
  },
}

function fromOption({ options }: Call): string {
  const from = lowerCaseEmail(String(options.from))
  if (!isEmail(from) || !from.endsWith(`@${sandboxMailDomain}`))
    throw new UsageError(`--from must be an address at ${sandboxMailDomain}.`)
  return from
}

function portOption({ options, config }: Call): number {
  const port = options.port === undefined ? config.mailPort : Number(options.port)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new UsageError('--port must be the port where the running service takes mail.')
  return port
}

function hostOf({ config: { host } }: Foundation): string {
  return host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
}

interface Words extends Omit<Letter, 'from'> {
  /** Null: only the token knows. */
  readonly merchantId: MerchantId | null
}

/** As a link fills a mail program; or a token alone, for whoever has one. */
async function wordsOf({ options }: Call, foundation: Foundation, from: string): Promise<Words> {
  const { offer, link, token } = options
  if ([offer, link, token].filter(given => given !== undefined).length !== 1)
    throw new UsageError('Give one of --link, --offer and --token.')
  if (token !== undefined) {
    const to = `transaction@${foundation.config.mailDomain}`
    return { merchantId: null, to, subject: 'Payment', text: String(token) }
  }
  if (offer !== undefined) return filledByOffer(foundation, String(offer))
  const given = String(link)
  return given.startsWith('mailto:') ? { merchantId: null, ...filledBy(given) } : filledByLink(foundation, given, from)
}

/** What a mail program makes of a mailto link. */
function filledBy(mailTo: string): Omit<Words, 'merchantId'> {
  const url = URL.parse(mailTo)
  if (url === null) throw new UsageError('--link must be a mailto link, or the id of an offer.')
  const said = (name: string) => url.searchParams.get(name) ?? ''
  return { to: decodeURIComponent(url.pathname), subject: said('subject'), text: said('body') }
}

async function filledByOffer(foundation: Foundation, text: string): Promise<Words> {
  const { offer, merchant } = await namedOffer(foundation, text)
  // Also of an offer for one customer: this plays what comes to the address that anybody may know.
  return { merchantId: merchant.id, ...filledBy(mailToPublic(offer, merchant, foundation.config.mailDomain)) }
}

/** As `POST offers/{id}/links` makes it. */
async function filledByLink(foundation: Foundation, text: string, from: string): Promise<Words> {
  const { offer, merchant } = await namedOffer(foundation, text)
  const { sql, sealer, clock, config } = foundation
  const why = whyNotForSale(offer, { quantity: 1, email: from, now: clock.now() })
  if (why !== null) throw new FailedError(`The offer ${notForSaleSays[why]}`)
  const key = await currentKey(sql, merchant.id)
  const privateKey = sealer.open(key.privateKeySealed, belongsTo.privateKey(merchant.id))
  const currentKeyOf = async () => ({ id: key.id, privateKey })
  const service = { baseUrl: await knownBaseUrl(foundation) }
  const link = await offerLinks(foundation, { ports: { service }, currentKeyOf })(merchant, offer, from)
  if (link === null) throw new FailedError('The offer is too large for a token.')
  const kept = await sql.begin(scope => keepOfferLink(scope, link, ownToken(offer), clock.now()))
  if (kept.kind === 'ended') throw new FailedError(`The offer ${notForSaleSays.inactive}`)
  if (kept.kind === 'payment_open') throw new FailedError(openPaymentSays(kept.id))
  return { merchantId: merchant.id, ...filledBy(mailToPay(offer, merchant, config.mailDomain, kept.token)) }
}

async function namedOffer({ sql }: Foundation, text: string) {
  const id = parseUuid<OfferId>(text)
  const merchantId = id === null ? null : await findOwner(sql, 'offer', id)
  const [offer, merchant] = await Promise.all([
    id === null || merchantId === null ? null : findOffer(sql, merchantId, id),
    merchantId === null ? null : findMerchant(sql, merchantId),
  ])
  if (offer === null || merchant === null) throw new NotFoundError('There is no such offer.')
  return { offer, merchant }
}

const silenceMaxMs = 60_000

/** What the service said to it, with its code. */
async function bring(host: string, port: number, { from, to }: Letter, raw: Buffer): Promise<string> {
  const times = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: silenceMaxMs }
  const transport = createTransport({ host, port, name: 'localhost', ignoreTLS: true, ...times })
  try {
    const { response } = await transport.sendMail({ envelope: { from, to: [to] }, raw })
    return response
  } catch (error) {
    const { response } = error as { response?: string }
    if (response !== undefined) return response
    throw new FailedError(`Nobody takes mail at ${host}:${port}. Is the service running?`)
  } finally {
    transport.close()
  }
}
