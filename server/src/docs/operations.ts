// The requests and hooks of the OpenAPI document as sections of the API reference, so that a search finds them and their fields.

import type { Section } from './read-page.ts'

/** What is read of the document. */
export interface Described {
  readonly paths?: Methods
  readonly webhooks?: Methods
  readonly components?: { readonly schemas?: { readonly [name: string]: Schema } }
}

type Methods = { readonly [path: string]: { readonly [method: string]: Operation } }

interface Operation {
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly parameters?: readonly { readonly name: string; readonly description?: string }[]
  readonly requestBody?: Bodies
  readonly responses?: { readonly [status: string]: Bodies }
}

interface Bodies {
  readonly description?: string
  /** The same fields in each type. */
  readonly content?: { readonly [type: string]: { readonly schema?: Schema } }
}

interface Schema {
  readonly $ref?: string
  readonly description?: string
  readonly properties?: { readonly [name: string]: Schema }
  readonly items?: Schema
  readonly contentSchema?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

export function operationSections(document: Described): Section[] {
  const all = (methods: Methods = {}) =>
    Object.entries(methods).flatMap(([path, byMethod]) =>
      Object.entries(byMethod).map(([method, operation]) => ({ path, method, operation })),
    )
  const requests = all(document.paths).map(({ path, method, operation }) => {
    const name = `${operation.summary ?? ''} (${method.toUpperCase()} ${path})`
    return sectionOf(document, operation, name, `operation/${operation.operationId}`)
  })
  const hooks = all(document.webhooks).map(({ path, method, operation }) =>
    sectionOf(document, operation, `${operation.summary ?? path} (hook)`, `paths/${path}/${method}`),
  )
  return [...requests, ...hooks]
}

/** `place`: where Redoc shows it below its tag, by the address that it makes. */
function sectionOf(document: Described, operation: Operation, text: string, place: string): Section {
  const [tag = ''] = operation.tags ?? []
  const heading = { depth: 2, text, anchor: `tag/${tag.replaceAll(' ', '-')}/${place}` }
  const bodies = [operation.requestBody, ...Object.values(operation.responses ?? {})]
  const schemas = bodies.flatMap(body => Object.values(body?.content ?? {}).slice(0, 1)).map(({ schema }) => schema)
  const fields = [
    ...(operation.parameters ?? []).map(({ name, description }) => said(name, description)),
    ...schemas.flatMap(schema => fieldsOf(document, schema, new Set())),
  ]
  return { heading, text: [operation.description, ...new Set(fields)].filter(each => each !== undefined).join(' · ') }
}

function said(name: string, description: string | undefined): string {
  return description === undefined ? name : `${name}: ${description}`
}

/** `seen`: what refers to itself is told once. */
function fieldsOf(document: Described, schema: Schema | undefined, seen: ReadonlySet<string>): string[] {
  if (schema === undefined) return []
  const { $ref, properties = {}, items, contentSchema, anyOf = [], oneOf = [], allOf = [] } = schema
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1) ?? ''
    return seen.has(name) ? [] : fieldsOf(document, document.components?.schemas?.[name], new Set([...seen, name]))
  }
  const own = Object.entries(properties).flatMap(([name, inner]) => [
    said(name, inner.description),
    ...fieldsOf(document, inner, seen),
  ])
  return [
    ...own,
    ...[items, contentSchema, ...anyOf, ...oneOf, ...allOf].flatMap(each => fieldsOf(document, each, seen)),
  ]
}
