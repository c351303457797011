// tillbell mail send

import { createTransport } from 'nodemailer'
import { mailToOffer } from '../api/mail-to.ts'
import { isEmail } from '../core/email.ts'
import { type MerchantId, type OfferId, parseUuid } from '../core/ids.ts'
import type { Foundation } from '../foundation.ts'
import { sandboxSigner } from '../join-letters.ts'
import { sandboxMailDomain } from '../mail/in/sandbox-names.ts'
import { findOwner } from '../store/directory.ts'
import { findMerchant } from '../store/merchants.ts'
import { findOffer } from '../store/offers.ts'
import { type Call, type Command, exitCodes, FailedError, jsonOption, NotFoundError, UsageError } from './command.ts'
import { withFoundation } from './key.ts'
import { type Letter, signLetter, writeLetter } from './written-letter.ts'

export const mailSend: Command = {
  positionals: [],
  options: {
    from: { type: 'address', says: `The customer, at ${sandboxMailDomain}.`, required: true },
    offer: { type: 'id', says: 'The offer to pay, by its own address.' },
    token: { type: 'token', says: 'A token to pay instead, at the address of tokens.' },
    unsigned: { type: 'flag', says: 'Without a signature, so that its sender is not believed.' },
    port: { type: 'number', says: 'Where the service takes mail; TILLBELL_MAIL_PORT by default.' },
    json: jsonOption,
  },
  examples: ['tillbell mail send --from ada@example.com --offer OFFER'],
  async run(call) {
    const [from, port] = [fromOption(call), portOption(call)]
    let isTaken = false
    const ended = await withFoundation(call, async foundation => {
      const key = sandboxSigner(foundation)
      if (key === null)
        throw new FailedError(
          'This writes for customers of the sandbox alone: not in live mode, nor with TILLBELL_DNS.',
        )
      const { merchantId, ...words } = await wordsOf(call, foundation)
      const letter = { from, ...words }
      const written = writeLetter(letter, new Date())
      const raw = call.options.unsigned === true ? written : await signLetter(written, key)
      const said = await bring(hostOf(foundation), port, letter, raw)
      isTaken = said.startsWith('2')
      if (call.options.json === true) return call.print(JSON.stringify({ to: letter.to, said }))
      call.print(`Mail to ${letter.to}: ${said}`)
      if (isTaken)
        call.print(`tillbell mail list --merchant ${merchantId ?? 'MERCHANT'} --from ${from} shows what came of it.`)
    })
    return isTaken ? ended : exitCodes.failed
  },
}

function fromOption({ options }: Call): string {
  const from = String(options.from).toLowerCase()
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

/** As the link of the offer fills a mail program; or a token alone, for whoever has one. */
async function wordsOf({ options }: Call, foundation: Foundation): Promise<Words> {
  const { offer, token } = options
  if ((offer === undefined) === (token === undefined)) throw new UsageError('Give one of --offer and --token.')
  if (offer === undefined)
    return {
      merchantId: null,
      to: `transaction@${foundation.config.mailDomain}`,
      subject: 'Payment',
      text: String(token),
    }
  return filledByOffer(foundation, String(offer))
}

async function filledByOffer({ sql, config }: Foundation, text: string): Promise<Words> {
  const id = parseUuid<OfferId>(text)
  const merchantId = id === null ? null : await findOwner(sql, 'offer', id)
  const offer = id === null || merchantId === null ? null : await findOffer(sql, merchantId, id)
  const merchant = merchantId === null ? null : await findMerchant(sql, merchantId)
  if (offer === null || merchant === null) throw new NotFoundError(`There is no offer ${text}.`)
  const url = new URL(mailToOffer(offer, merchant, config.mailDomain))
  const said = (name: string) => url.searchParams.get(name) ?? ''
  return { merchantId, to: decodeURIComponent(url.pathname), subject: said('subject'), text: said('body') }
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
