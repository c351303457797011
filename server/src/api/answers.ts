// What the answers look like, for the OpenAPI document. Tests hold real answers against it.

import type { TProperties, TSchema } from 'typebox'
import { cardTypes, disputeStatuses } from '../core/gateway.ts'
import { endpointStatuses, hookKinds, pauseCauses } from '../core/hook-endpoint.ts'
import { offerAddresses } from '../core/offer-terms.ts'
import { deliveryStates } from '../core/retry-schedule.ts'
import { tokenStates } from '../core/token.ts'
import { sources, transactionStatuses } from '../core/transaction.ts'
import { Type } from '../http/schema.ts'

export const text = (description?: string) => Type.String(description === undefined ? {} : { description })
export const orNull = (schema: TSchema) => Type.Unsafe<unknown>({ anyOf: [schema, { type: 'null' }] })
export const oneOf = (values: readonly string[]) => Type.Unsafe<string>({ type: 'string', enum: [...values] })
const anything = Type.Unsafe<unknown>({ type: 'object', additionalProperties: true })
const amount = text('Decimal number as text, in the decimals of the currency.')
export const time = text('ISO 8601 with milliseconds and a numeric UTC offset.')
/** Open: a client that is made from the document must not break on a member that is new. */
export const object = (properties: TProperties, description?: string) =>
  Type.Object(properties, description === undefined ? {} : { description })

const addressParts = object({
  state: text(),
  city: text(),
  street: text(),
  street2: text(),
  zip: text(),
  phone: text(),
  country: Type.Optional(text('Where it is known.')),
})

const refund = object({
  refunded_at: time,
  refunded_by: orNull(text()),
  refunded_reason: orNull(text()),
  refunded_token: text('The id of the refund.'),
  refunded_amount: amount,
})

const dispute = object({
  status: oneOf(disputeStatuses),
  amount,
  reason: orNull(text("In the gateway's words.")),
  opened_at: time,
})

export const furtherActionAnswer = object({
  amount: Type.Number(),
  email: text(),
  signup_url: text(),
  mail_to: orNull(text()),
})

export const transactionAnswer = object({
  id: text('UUID.'),
  created_at: time,
  status: oneOf(transactionStatuses),
  amount,
  net_amount: orNull(amount),
  merchant: text(),
  gateway: text(),
  source: oneOf(sources),
  offer: object({
    id: text(),
    ref_id: orNull(text()),
    details: orNull(text()),
    item_name: text(),
    signup_url: text(),
    campaign: orNull(text()),
    tag: orNull(text()),
    form: orNull(text()),
  }),
  customer: object({
    first_name: text(),
    last_name: text(),
    email: text(),
    sms_number: orNull(text()),
    billing_address: text(),
    card_mask: text('The last four digits; this and the three below are empty where no card is at hand yet.'),
    card_type: oneOf([...cardTypes, '']),
    expiration_date: text('The first day of the expiry month.'),
    service_token: text(),
  }),
  user_data: object({
    billing: addressParts,
    shipping: orNull(addressParts),
    custom_data: anything,
    amount: text('As given to the offer.'),
    demo: oneOf(['0', '1']),
    offer_confined_gateway: text(),
  }),
  error: Type.Optional(text('Why it failed, in a sentence.')),
  error_code: Type.Optional(text('Why it failed; stable.')),
  further_action: Type.Optional(furtherActionAnswer),
  in_doubt: Type.Optional(
    Type.Boolean({ description: 'True while it is not known what the gateway did: the charge, or a later operation.' }),
  ),
  captured_amount: Type.Optional(text('What was captured of an authorisation; decimal number as text.')),
  refund: Type.Optional(refund),
  refunds: Type.Optional(Type.Array(refund)),
  dispute: Type.Optional(dispute),
  disputes: Type.Optional(Type.Array(dispute)),
})

export const offerAnswer = object({
  offer_id: text(),
  title: text(),
  amount,
  currency: text(),
  pcp_url: text("The offer's page."),
  mail_to: orNull(
    text(
      'Opens an email that asks to pay; with a personal token where the offer is for one customer. Null: no mail comes here.',
    ),
  ),
  qr_code: text("The offer's page as a picture, PNG; with .svg at its end, SVG."),
  button_html: text('A button for mails, in the colours of the payment page.'),
  merchant: text(),
  ref_id: orNull(text()),
  details: orNull(text()),
  campaign: orNull(text()),
  tag: orNull(text()),
  form: orNull(text()),
  stock: orNull(Type.Integer()),
  expires_at: orNull(time),
  gateway: orNull(text()),
  custom_fields: Type.Array(object({ name: text(), required: Type.Boolean() })),
  address: orNull(oneOf(offerAddresses)),
  custom_user_data: orNull(text()),
  fulfillment: orNull(Type.Number()),
  email: orNull(text()),
  authorization_only: Type.Boolean(),
  custom_data: anything,
  active: Type.Boolean(),
  created_at: time,
})

export const offerLinkAnswer = object({
  offer: text('UUID of the offer.'),
  email: text('The one customer who can pay with it.'),
  token: text('The token as it stands in the email. It is for that customer: put it on no page.'),
  mail_to: orNull(text('Opens an email that pays at once; null: no mail comes here.')),
  button_html: text('A button for an email to that customer.'),
  expires_at: orNull(time),
})

export const revocationAnswer = object({
  revoked_at: time,
  offer: orNull(text('UUID of what it stood for; null: nobody had shown it.')),
})

export const cardAnswer = object({
  service_token: text(),
  card_mask: text('The last four digits.'),
  card_type: oneOf(cardTypes),
  expiration_date: text('The first day of the expiry month.'),
  gateway: text(),
  gateways: Type.Array(text(), { description: 'Where it is stored: its own gateway, then those it was copied to.' }),
  first_name: text(),
  last_name: text(),
  email: text(),
  billing_address: text(),
  confirmed: Type.Boolean({
    description:
      'False: it was entered on a page under this email by somebody who has not proven that the email is theirs.',
  }),
  created_at: time,
})

export const cardLinkAnswer = object({
  url: text('Where the customer enters the card, once.'),
  expires_at: time,
})

export const paymentPageAnswer = object({
  name: text(),
  logo_url: orNull(text('Where its bytes are; another logo has another address.')),
  button_color: orNull(text('#rrggbb; null: ours.')),
  background_color: orNull(text('#rrggbb; null: ours.')),
  support_email: orNull(text()),
  return_url: orNull(text('Where a customer may go on after paying.')),
  frame_ancestors: Type.Array(text(), { description: 'Origins that may show the pages in a frame.' }),
})

export const mailSettingsAnswer = object({
  payments: Type.Boolean({ description: 'Whether customers may pay by mail at all.' }),
  amount_max: orNull(text('What a customer may pay with one mail; null: no limit.')),
  day_amount_max: orNull(text('What a customer may pay by mail in a day; null: no limit.')),
  day_payments_max: orNull(
    Type.Integer({ description: 'How often a customer may pay by mail in a day; null: no limit.' }),
  ),
  public_charge_at_once: Type.Boolean({
    description: 'Whether emails to public addresses charge at once, where their words are those of the link.',
  }),
  personal_charge_at_once: Type.Boolean({
    description: 'Whether emails with personal tokens charge at once, where their words are those of the link.',
  }),
  sentences: Type.Array(text(), { description: 'What else emails may say that charge at once.' }),
  receipts: Type.Boolean(),
  further_actions: Type.Boolean(),
  errors: Type.Boolean(),
  unsigned_authorizations: Type.Boolean({
    description: 'Whether tokens of version 2 open that do not say authorization_only in user_data.',
  }),
})

export const inspectionAnswer = object({
  state: oneOf(tokenStates),
  reason: orNull(text('Why nobody can pay with it; null: it is open.')),
  private_key: orNull(text('UUID of the Private Key that it was made with.')),
  authorization_only: orNull(Type.Boolean()),
  target: orNull(object({ kind: oneOf(['email', 'card', 'url']), value: text() })),
  group: orNull(text()),
  amount: orNull(text('Decimal number as text; in the decimals of the currency, where that is known.')),
  currency: orNull(text()),
  expires_at: orNull(time),
  user_data: orNull(anything),
  offer: orNull(text('UUID of what it stands for; null: nobody has shown it.')),
  revoked_at: orNull(time),
})

export const gatewayAnswer = object({
  id: text(),
  type: text(),
  default: Type.Boolean(),
  fallback: orNull(Type.Integer({ description: 'Its place among those that are tried next.' })),
  status: oneOf(['active', 'inactive']),
  events_url: orNull(text('Where the gateway is to post its own events; null: it has none.')),
  created_at: time,
})

export const hookEndpointAnswer = object({
  id: text('UUID.'),
  kind: oneOf(hookKinds),
  url: text(),
  status: oneOf(endpointStatuses),
  timeout_s: Type.Integer({ description: 'How long an attempt may take in all.' }),
  standard_webhooks: Type.Unsafe<unknown>({
    enum: [true, false, 'json'],
    description: 'true: the three headers beside the form; json: with a JSON body instead of the form.',
  }),
  created_at: time,
  paused_because: Type.Unsafe<unknown>({
    enum: [...pauseCauses, null],
    description: 'By hand, or by itself after five days of nothing but failures; null: it is not paused.',
  }),
  secret: Type.Optional(text('The Standard Webhooks secret, in the answer that made it and never again.')),
})

const hookDelivery = {
  id: text('UUID.'),
  kind: oneOf(hookKinds.filter(kind => kind !== 'generic')),
  endpoint: text('UUID of the endpoint.'),
  url: text("Where its newest attempt went; before the first, the endpoint's."),
  transaction: text('UUID; of zeros alone in a test.'),
  state: oneOf(deliveryStates),
  attempts: Type.Integer({ description: 'How many were made.' }),
  next_attempt_at: orNull(time),
  created_at: time,
}

export const hookDeliveryAnswer = object(hookDelivery)

export const wholeDeliveryAnswer = object({
  ...hookDelivery,
  details: orNull(text('As sent; null once it was erased.')),
  signature: orNull(text('With the Private Key that is current now.')),
  attempts: Type.Array(
    object({
      number: Type.Integer(),
      at: time,
      status: orNull(Type.Integer()),
      duration_ms: orNull(Type.Integer()),
      reason: orNull(text('Why it was not accepted; null where it was.')),
      response: orNull(text('Its first 16 KiB; null where nothing came back, and once it is no longer kept.')),
      url: text('Where it went.'),
      resend: Type.Boolean({ description: 'Asked for by hand, outside the schedule.' }),
    }),
  ),
})

export const hookListenerAnswer = object({
  id: text('UUID.'),
  merchant: text(),
  mode: oneOf(['sandbox', 'live']),
  name: text('Of the machine that listens, as it stands in `listen://NAME`, the URL of its deliveries.'),
  kinds: Type.Array(oneOf(hookKinds)),
  created_at: time,
  backfilled: Type.Optional(
    Type.Integer({ description: 'When it begins: how many notifications it is owed that happened before.' }),
  ),
})

export const hookRequestAnswer = object({
  id: text('UUID, to answer it by.'),
  kind: oneOf(hookKinds),
  headers: Type.Array(Type.Array(text()), {
    description: 'Names and values, as a hook has them beside Host and Content-Length.',
  }),
  body: text('As it is signed: pass it on byte for byte.'),
  deadline: time,
  timeout_ms: Type.Integer({ description: 'How long until then.' }),
})

export const answeredAnswer = object({ id: text('UUID.'), taken: Type.Boolean() })

export const clockAnswer = object({ now: time })
export const erasureAnswer = object({ erased: Type.Boolean() })

const errors = Type.Unsafe<unknown>({ type: 'object', additionalProperties: { type: 'string' } })

/** A refusal: the thing is null, and `errors` has a sentence by field or under `general`. */
function refusals(about: string) {
  const refused = { [about]: Type.Null(), errors }
  return { '4xx': object(refused, refusedSays), '5xx': object(refused, failedSays) }
}

const refusedSays = 'Refused: errors has a sentence by field, or under general.'
const failedSays = 'Not done, or not known to be: something failed on our side or at the gateway, and errors says what.'

/** Where nobody has credentials, only what was made is told of. */
export const registrationAnswers = {
  response: {
    200: object(
      { id: text('UUID of the offer.'), url: text("The offer's page.") },
      'The offer: the same token has the same one.',
    ),
    '4xx': object({ errors }, refusedSays),
    '5xx': object({ errors }, failedSays),
  },
}

export function answersWith(about: string, thing: TSchema, says = `The ${about.replaceAll('_', ' ')}.`) {
  return { response: { 200: object({ [about]: thing }, says), ...refusals(about) } }
}

const pageSays =
  'A page, newest first, of at most limit rows and about 256 KiB. It may have fewer rows than limit: where there may be more, the Link header leads to the next page.'

export function answersWithList(about: string, thing: TSchema, description: string = pageSays) {
  return { response: { 200: Type.Array(thing, { description }), ...refusals(about) } }
}

/** What moves money answers with the record also when it failed, was stopped, or is in doubt. */
export const moneyAnswers = {
  response: {
    200: object({ transaction: transactionAnswer, errors: Type.Null() }, 'Done.'),
    202: object(
      { transaction: transactionAnswer, errors: orNull(errors) },
      'The customer must act first; or the outcome is in doubt, and a hook follows when it is known.',
    ),
    '4xx': object(
      { transaction: orNull(transactionAnswer), errors },
      'Refused, and the record is null; or declined or stopped by Pre-Sale, and the record says so.',
    ),
    '5xx': object(
      { transaction: orNull(transactionAnswer), errors },
      'Not done: the gateway did not take it, or something failed on our side. Retry-After where the gateway said when.',
    ),
  },
}
