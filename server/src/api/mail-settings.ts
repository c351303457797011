// What customers may pay by mail, each, and which mails they get.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { isWhollyCardNumber } from '../core/card-number.ts'
import { answerText } from '../core/json.ts'
import { whyNotKept } from '../core/kept-json.ts'
import { type MailSettings, sentenceCharsMax, sentencesMax } from '../core/mail-settings.ts'
import { type Currency, formatAmount, parseAmount } from '../core/money.ts'
import type { Json } from '../core/offer.ts'
import type { ServiceFacts } from '../core/sale.ts'
import { callerOf, keyedAnswer, keyOf, notOther, sendReply } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { amountField, flagField, flagFrom, jsonField, removableField, wholeNumberField } from '../http/fields.ts'
import { Type } from '../http/schema.ts'
import { answersWith, mailSettingsAnswer } from './answers.ts'
import type { ApiPorts } from './ports.ts'

const paymentsMax = 1_000_000
const sentencesSay = `must be a list of at most ${sentencesMax} texts of 1 to ${sentenceCharsMax} characters.`
const noLimit = 'null or empty text for no limit.'

const changeable = {
  payments: Type.Optional(flagField('Whether customers may pay by mail at all.')),
  amount_max: Type.Optional(removableField(amountField(`What a customer may pay with one mail; ${noLimit}`))),
  day_amount_max: Type.Optional(removableField(amountField(`What a customer may pay by mail in a day; ${noLimit}`))),
  day_payments_max: Type.Optional(
    removableField(wholeNumberField(1, paymentsMax, `How often a customer may pay by mail in a day; ${noLimit}`)),
  ),
  public_charge_at_once: Type.Optional(
    flagField(
      'Whether emails to public addresses, and with public tokens, charge at once where their words are those of the link. Risk: anybody can put such an address into an email that your customer answers. Off by default: each payment is confirmed by a link.',
    ),
  ),
  personal_charge_at_once: Type.Optional(
    flagField(
      'Whether emails with personal tokens charge at once where their words are those of the link. On by default; off, each payment is confirmed by a link.',
    ),
  ),
  sentences: Type.Optional(
    jsonField(
      Type.Array(Type.String({ minLength: 1, maxLength: sentenceCharsMax }), { maxItems: sentencesMax }),
      sentencesSay,
      'What else emails may say that charge at once, such as the text of links made by older tools.',
    ),
  ),
  receipts: Type.Optional(flagField('Whether customers get a receipt for each payment by mail.')),
  further_actions: Type.Optional(flagField('Whether they are told by mail what is left to do.')),
  errors: Type.Optional(flagField('Whether they are told by mail that a payment was not made.')),
  unsigned_authorizations: Type.Optional(
    flagField(
      'Whether tokens of version 2 open that do not say authorization_only in user_data, as older clients make them. Whoever has a token of an older client can add the version, and so turn a sale into a hold. Whether this is on or off, they can remove it, and so turn a hold into a sale.',
    ),
  ),
}
const changeBody = Type.Object(changeable)
const nothingNamed = `Name at least one of ${Object.keys(changeable).join(', ')}.`
const about = { about: 'mail_settings' } as const
const settingsAnswer = answersWith('mail_settings', mailSettingsAnswer)

export function mailSettingsRoutes(app: FastifyInstance, { store, core }: ApiPorts): void {
  const schema = (summary: string, more: object = {}) => ({ summary, tags: ['mail'], ...more, ...settingsAnswer })
  const currencyOf = async (merchantId: Parameters<typeof store.findMerchant>[0]): Promise<Currency> => {
    const merchant = await store.findMerchant(merchantId)
    if (merchant === null) throw new Error(`merchant ${merchantId} is gone`)
    return merchant.currency
  }

  app.get('/mail_settings', { config: about, schema: schema('Show the settings of mail') }, async (request, reply) => {
    const { merchantId } = callerOf(request)
    const [currency, settings] = await Promise.all([currencyOf(merchantId), store.readMailSettings(merchantId)])
    return reply.send(answerText({ mail_settings: settingsView(settings, currency, core.service) }))
  })

  app.patch<{ Body: Static<typeof changeBody> }>(
    '/mail_settings',
    { config: about, schema: schema('Change the settings of mail', { body: changeBody }) },
    async (request, reply) => {
      const { merchantId } = callerOf(request)
      const currency = await currencyOf(merchantId)
      const change = changeFrom(request.body, currency)
      const key = keyOf(request, 'mail_settings change', asJson(change))
      const answer = await store.changeSettings(callerOf(request), key, async writes => {
        const settings = await writes.changeMailSettings(merchantId, change)
        return keyedAnswer({ mail_settings: settingsView(settings, currency, core.service) }, null)
      })
      return sendReply(reply, notOther(answer))
    },
  )
}

/** What is named, in the form in which it is kept. */
function changeFrom(body: Static<typeof changeBody>, currency: Currency): Partial<MailSettings> {
  if (!Object.keys(changeable).some(name => name in body)) throw new ApiError(422, { general: nothingNamed })
  const { amount_max, day_amount_max, day_payments_max } = body
  const wrong: { [field: string]: string } = {}
  const amountOf = (field: string, given: string | null): bigint | null => {
    if (given === null || given === '') return null
    const parsed = parseAmount(given, currency)
    if ('amountMinor' in parsed) return parsed.amountMinor
    wrong[field] = `${field} ${parsed.wrong}`
    return null
  }
  const flags = [body.payments, body.receipts, body.further_actions, body.errors, body.unsigned_authorizations]
  const [payments, receipts, furtherActions, errors, unsignedAuthorizations] = flags.map(flagFrom)
  const [publicChargeAtOnce, personalChargeAtOnce] = [body.public_charge_at_once, body.personal_charge_at_once].map(
    flagFrom,
  )
  const sentences = body.sentences === undefined ? undefined : sentencesFrom(body.sentences)
  if (sentences === null) wrong.sentences = `sentences ${sentencesSay}`
  const change = {
    ...(typeof payments === 'boolean' && { payments }),
    ...(amount_max !== undefined && { amountMaxMinor: amountOf('amount_max', amount_max) }),
    ...(day_amount_max !== undefined && { dayAmountMaxMinor: amountOf('day_amount_max', day_amount_max) }),
    ...(day_payments_max !== undefined && { dayPaymentsMax: day_payments_max ? Number(day_payments_max) : null }),
    ...(typeof publicChargeAtOnce === 'boolean' && { publicChargeAtOnce }),
    ...(typeof personalChargeAtOnce === 'boolean' && { personalChargeAtOnce }),
    ...(sentences && { sentences }),
    ...(typeof receipts === 'boolean' && { receipts }),
    ...(typeof furtherActions === 'boolean' && { furtherActions }),
    ...(typeof errors === 'boolean' && { errors }),
    ...(typeof unsignedAuthorizations === 'boolean' && { unsignedAuthorizations }),
  }
  if (Object.keys(wrong).length > 0) throw new ApiError(422, wrong)
  return change
}

/** Null: they cannot be kept. */
function sentencesFrom(given: unknown): readonly string[] | null {
  if (!Array.isArray(given) || given.length > sentencesMax) return null
  const fits = (text: unknown): text is string =>
    typeof text === 'string' && text.trim() !== '' && text.length <= sentenceCharsMax && !isWhollyCardNumber(text)
  return given.every(fits) && whyNotKept('sentences', given) === null ? given : null
}

function asJson({ amountMaxMinor, dayAmountMaxMinor, sentences, ...others }: Partial<MailSettings>): Json {
  const asText = (minor: bigint | null) => (minor === null ? null : String(minor))
  return {
    ...others,
    ...(sentences !== undefined && { sentences: [...sentences] }),
    ...(amountMaxMinor !== undefined && { amountMaxMinor: asText(amountMaxMinor) }),
    ...(dayAmountMaxMinor !== undefined && { dayAmountMaxMinor: asText(dayAmountMaxMinor) }),
  }
}

function settingsView(settings: MailSettings, currency: Currency, { mode }: ServiceFacts) {
  const amount = (minor: bigint | null) => (minor === null ? null : formatAmount(minor, currency))
  return {
    payments: settings.payments,
    amount_max: amount(settings.amountMaxMinor),
    day_amount_max: amount(settings.dayAmountMaxMinor),
    day_payments_max: settings.dayPaymentsMax,
    public_charge_at_once: settings.publicChargeAtOnce,
    personal_charge_at_once: settings.personalChargeAtOnce,
    sentences: [...settings.sentences],
    receipts: settings.receipts,
    further_actions: settings.furtherActions,
    errors: settings.errors,
    unsigned_authorizations: settings.unsignedAuthorizations ?? mode === 'sandbox',
  }
}
