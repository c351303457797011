// The OpenAPI document, generated from the schemas that validate.

import type { SwaggerOptions } from '@fastify/swagger'
import type { FastifySchema } from 'fastify'
import { keyHeader } from '../core/repetition.ts'
import { noArguments } from '../http/known-arguments.ts'
import { withExamples } from './example-values.ts'
import { operationIdOf } from './operation-ids.ts'
import { tags } from './tags.ts'
import { hookComponents, webhooks } from './webhooks.ts'

export const restPath = '/api/v5/rest'

export function openApi(): SwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tillbell REST',
        version: 'v5',
        description:
          'REST is version 5, hooks are version 3 of the interface. A Transaction is created, and a refund made, by POST or ' +
          'by GET with a body; OpenAPI can describe only the former.',
      },
      components: {
        securitySchemes: { basic: { type: 'http', scheme: 'basic', description: 'API key and secret.' } },
        schemas: hookComponents(),
      },
      tags,
      webhooks: webhooks(),
      security: [{ basic: [] }],
    },
    transform: ({ schema, url, route }) => ({ schema: described(schema, String(route.method), url), url }),
  }
}

type Schema = FastifySchema & { readonly hide?: boolean }

function described(schema: Schema | undefined, method: string, url: string): Schema {
  if (schema?.hide === true) return schema
  const isRest = url.startsWith(restPath)
  const { body, querystring, ...others } = schema ?? {}
  const taken = {
    ...others,
    ...(body !== noArguments && { body }),
    ...(querystring !== noArguments && { querystring }),
  }
  return {
    ...(withExamples(withoutOurKeywords(taken)) as Schema),
    operationId: operationIdOf(method, isRest ? url.slice(restPath.length) : url),
    ...('body' in taken && { consumes }),
    ...(method !== 'GET' && isRest && { headers: keyed }),
  }
}

/** Read by hand, where it counts: here it is only told of. */
const keyed = {
  type: 'object',
  properties: {
    [keyHeader]: {
      type: 'string',
      pattern: '^[\\x21-\\x7e]{1,255}$',
      description:
        'Names this request. Repeated with the same arguments it gets the first answer, and is not done again; kept for 24 hours.',
    },
  },
}

const consumes = ['application/json', 'application/x-www-form-urlencoded']
const ours = new Set([
  'says',
  'jsonText',
  'formMembers',
  'notTaken',
  'bytesMax',
  'wholeNumberTo',
  'aRealTime',
  'anEmail',
  'aWebAddress',
])

function withoutOurKeywords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOurKeywords)
  if (value === null || typeof value !== 'object') return value
  const kept = Object.entries(value).filter(([name]) => !ours.has(name))
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutOurKeywords(inner)]))
}
