// The hooks in the OpenAPI document: what the service sends to a merchant's endpoints, and what their answers mean.

import { type HookKind, hookSchemas, signDetails } from '@tillbell/sdk'
import { type SampleName, samples } from '@tillbell/sdk/testing'

const kinds = Object.keys(hookSchemas) as HookKind[]
const nameOf = (kind: HookKind) => `hook-${kind}`
const reference = (kind: HookKind) => ({ $ref: `#/components/schemas/${nameOf(kind)}` })

/** By name, to stand in an OpenAPI document. The framework's types know neither `contentSchema` nor a list that is fixed. */
type Parts = { readonly [name: string]: object }

export function hookComponents(): Parts {
  const { title, description } = hookSchemas.generic
  const copies = { title, description, anyOf: (['transaction', 'far', 'error'] as const).map(reference) }
  return Object.fromEntries(kinds.map(kind => [nameOf(kind), kind === 'generic' ? copies : hookSchemas[kind]]))
}

export function webhooks(): Parts {
  return Object.fromEntries(kinds.map(kind => [kind, { post: hook(kind) }]))
}

function hook(kind: HookKind) {
  const { title, description } = hookSchemas[kind]
  const content = {
    'application/x-www-form-urlencoded': { schema: form(kind), examples: examples(kind) },
    'application/json': { schema: json(kind) },
  }
  return {
    summary: title,
    description,
    tags: ['hooks'],
    security: [], // a hook has no credentials: its signature says whose it is
    parameters: standardWebhooks,
    requestBody: { required: true, content },
    responses: kind === 'pre_sale' ? preSaleAnswers : notificationAnswers,
  }
}

const exampleKey = 'the text of a Private Key'

const samplesOf: { readonly [kind in HookKind]: { readonly [summary: string]: SampleName } } = {
  pre_sale: { 'Pre-Sale': 'pre_sale' },
  transaction: { 'A sale': 'transaction', 'An authorisation': 'authorization', 'A capture': 'capture' },
  far: { 'Further Action Required': 'far' },
  error: { Error: 'error' },
  generic: { 'Copy of a Transaction': 'transaction', 'Copy of a FAR': 'far', 'Copy of an Error': 'error' },
  update: { 'A refund': 'update', 'A void': 'void', 'A dispute': 'dispute' },
}

function examples(kind: HookKind): Parts {
  const all = Object.entries(samplesOf[kind]).map(([summary, name]) => {
    const details = JSON.stringify(samples[name])
    const description = `Signed with the key "${exampleKey}".`
    return [name, { summary, description, value: { details, signature: signDetails(details, exampleKey) } }] as const
  })
  return Object.fromEntries(all)
}

const header = (name: string, description: string) => ({
  ...{ name, in: 'header', required: false, schema: { type: 'string' } },
  description: `${description} Only to an endpoint with standard_webhooks.`,
})

const standardWebhooks = [
  header('webhook-id', 'The same for every attempt of a notification.'),
  header('webhook-timestamp', 'When it was sent, in Unix seconds.'),
  header('webhook-signature', 'One or more of v1 and base64 of an HMAC-SHA256, with blanks between them.'),
]

function form(kind: HookKind) {
  return {
    type: 'object',
    properties: {
      details: {
        type: 'string',
        contentMediaType: 'application/json',
        contentSchema: reference(kind),
        description: 'A JSON object as text. Verify this very text, then parse it.',
      },
      signature: {
        type: 'string',
        pattern: '^[0-9a-f]{40}$',
        description: "HMAC-SHA1 of the text of details, keyed with the text of the merchant's Private Key.",
      },
    },
    required: ['details', 'signature'],
    additionalProperties: false,
  }
}

/** To an endpoint that asked for it. */
function json(kind: HookKind) {
  return {
    type: 'object',
    description: 'Only to an endpoint whose standard_webhooks is json. The three headers sign it.',
    properties: {
      type: { type: 'string', description: 'As in data.' },
      timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
      data: { ...reference(kind), description: 'The text of details, byte for byte.' },
    },
    required: ['type', 'timestamp', 'data'],
    additionalProperties: false,
  }
}

const preSaleAnswers = {
  '2XX': { description: 'Processing goes on.' },
  '5XX': {
    description: 'An error: the gateway is not called, and Error notifications follow. No answer in time is the same.',
  },
  default: {
    description: 'The Transaction is not processed. A redirect is not followed. Pre-Sale is never sent again.',
  },
}

const notificationAnswers = {
  '2XX': { description: 'Accepted, whatever the body.' },
  default: { description: 'Not accepted, as no answer is: sent again, ten times in all. A redirect is not followed.' },
}
