// The OpenAPI document, generated from the schemas that validate.

import type { SwaggerOptions } from '@fastify/swagger'
import { hookComponents, webhooks } from './webhooks.ts'

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
      webhooks: webhooks(),
      security: [{ basic: [] }],
    },
    transform: ({ schema, url }) => ({
      schema: { ...(withoutOurKeywords(schema) as typeof schema), ...(schema?.body !== undefined && { consumes }) },
      url,
    }),
  }
}

const consumes = ['application/x-www-form-urlencoded', 'application/json']
const ours = new Set(['says', 'wholeNumberTo', 'aRealTime', 'aWebAddress'])

function withoutOurKeywords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOurKeywords)
  if (value === null || typeof value !== 'object') return value
  const kept = Object.entries(value).filter(([name]) => !ours.has(name))
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutOurKeywords(inner)]))
}
