// The schemas of the objects inside a hook's `details`. Members that a later version adds are to be ignored, so no schema
// here forbids one.

const text = { type: 'string' } as const
/** As the merchant wrote it, so in any case. */
const url = { type: 'string', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' } as const

const postalAddress = {
  street: { ...text, description: 'Street and number.' },
  city: { ...text, description: 'City.' },
  state: { ...text, description: 'State or province.' },
  zip: { ...text, description: 'Postal code.' },
} as const

/** What a parcel needs beyond that. Only where the customer gave it. */
const moreOfAddress = {
  street2: { ...text, description: 'The second line. Only if there is one.' },
  phone: { ...text, description: 'A telephone number. Only if there is one.' },
} as const
const country = {
  ...text,
  description: 'Country; two letters of ISO 3166 where the customer chose it on a page.',
} as const

const shipping = {
  type: 'object',
  description: 'Where to send it, if the offer asks for that and it is known. Missing parts are empty text.',
  properties: { ...postalAddress, ...moreOfAddress, country },
  required: ['street', 'city', 'state', 'zip'],
} as const

const billing = {
  type: 'object',
  description: 'The address of the card, if it is known. Missing parts are empty text.',
  properties: { ...postalAddress, ...moreOfAddress, country },
  required: ['street', 'city', 'state', 'zip', 'country'],
} as const

const customField = {
  type: 'object',
  properties: {
    name: { ...text, description: 'What the customer is asked for.' },
    required: { type: 'boolean', description: 'Whether the customer has to answer.' },
  },
  required: ['name', 'required'],
} as const

const ofOffer = {
  item_name: { ...text, description: "The offer's title." },
  item_details: { ...text, description: "The offer's details; empty text if it has none." },
  details: { type: ['string', 'null'], description: "The offer's details; null if it has none." },
  ref_id: { ...text, description: 'The id that the merchant gave the offer; empty text if there is none.' },
  signup_url: { ...url, description: "The offer's page: the merchant's own if there is one, else ours." },
  custom_fields: {
    type: 'array',
    items: customField,
    description: 'What the offer asks the customer beside the card.',
  },
  custom_data: {
    type: 'object',
    additionalProperties: true,
    description:
      'The `custom_data` that the offer was made with, and the answers to `custom_fields` by name. ' +
      '`test` is `"true"` in a test notification.',
  },
  custom_user_data: { ...text, description: "The offer's own text for the merchant. Only if it has one." },
  address: {
    ...text,
    enum: ['shipping', 'billing', 'shipping,billing'],
    description: 'Which address the offer asks for. Only if it asks for one.',
  },
  fulfillment: { type: 'number', description: "The offer's own number for the merchant. Only if it has one." },
} as const

const alwaysOfOffer = [
  'item_name',
  'item_details',
  'details',
  'ref_id',
  'signup_url',
  'custom_fields',
  'custom_data',
] as const

const offerUserData = {
  type: 'object',
  description: "The offer's own data, without what the customer added.",
  properties: ofOffer,
  required: alwaysOfOffer,
} as const

export const userData = {
  type: 'object',
  description: "The offer's data, with what the customer added.",
  properties: {
    ...ofOffer,
    quantity: { ...text, pattern: '^[1-9][0-9]{0,3}$', description: 'Units bought, as text.' },
    shipping,
    billing,
  },
  required: [...alwaysOfOffer, 'quantity'],
} as const

export const token = {
  type: 'object',
  description: 'The offer that was paid, or is to be paid.',
  properties: {
    amount: { type: 'number', minimum: 0, description: 'The price of one unit, as a number.' },
    site: { type: 'boolean', description: 'True if it came by REST or from a page, false if by email.' },
    url: { ...url, description: "The offer's page." },
    active: { type: 'boolean', description: 'Whether the offer can still be used.' },
    content: {
      ...text,
      pattern: '^(@[A-Za-z0-9_~=-]+@)?$',
      description:
        "The offer's token, between two `@`. Empty text where there can be none: from 10,000,000 of the currency’s smallest unit on, in tests, and in hooks about somebody else’s payment of an offer for one customer.",
    },
    user_data: offerUserData,
  },
  required: ['amount', 'site', 'url', 'active', 'content', 'user_data'],
} as const

export const furtherAction = {
  type: 'object',
  description:
    'What the customer can do. In FAR always, in Error only while the customer can still act, elsewhere never.',
  properties: {
    amount: { type: 'number', minimum: 0, description: 'What is due, as a number.' },
    email: { ...text, description: "The customer's address; empty text if it is not known." },
    signup_url: {
      ...url,
      description: 'Where the customer goes on: always a page of ours. The link alone cannot charge a stored card.',
    },
    mail_to: {
      type: ['string', 'null'],
      description: 'A `mailto:` link that goes on by email; null where mail does not help.',
    },
  },
  required: ['amount', 'email', 'signup_url', 'mail_to'],
} as const

const amount = { ...text, description: 'Decimal number as text, in the decimals of the currency.' } as const
const time = { ...text, description: 'ISO 8601 with milliseconds and a numeric UTC offset.' } as const
const textOrNull = { type: ['string', 'null'] } as const

export const refund = {
  type: 'object',
  description: 'The refund that is told of. In `refund` alone.',
  properties: {
    status: {
      ...text,
      enum: ['succeeded', 'failed'],
      description: '`failed`: a bank sent it back after it had succeeded.',
    },
    refunded_at: time,
    refunded_by: { ...textOrNull, description: 'Who made it, as given; `gateway`: it was made there.' },
    refunded_reason: { ...textOrNull, description: 'As given, or in the words of the gateway.' },
    refunded_token: { ...text, description: 'Its id, as in `refunds` of the Transaction.' },
    refunded_amount: amount,
  },
  required: ['status', 'refunded_at', 'refunded_by', 'refunded_reason', 'refunded_token', 'refunded_amount'],
} as const

export const dispute = {
  type: 'object',
  description: 'The dispute that is told of. In `dispute` alone.',
  properties: {
    status: { ...text, enum: ['open', 'won', 'lost'], description: 'How it stands, for the merchant.' },
    amount,
    reason: { ...textOrNull, description: "In the gateway's words." },
    opened_at: time,
  },
  required: ['status', 'amount', 'reason', 'opened_at'],
} as const
