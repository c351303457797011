// The hooks in the OpenAPI document: what the service sends to a merchant's endpoints, and what their answers mean.

import { type HookKind, hookSchemas } from '@tillbell/sdk'

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
  const content = { 'application/x-www-form-urlencoded': { schema: form(kind) } }
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
      details: { type: 'string', contentMediaType: 'application/json', contentSchema: reference(kind) },
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
