// Writes the types of the sdk's client: shapes from the service's OpenAPI document, methods from the client's own table.

import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { type Operation, operations } from '../../../sdk/src/client/operations.ts'

export interface Schema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
}

export interface Described {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly description?: string
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly content: { readonly [type: string]: { readonly schema: Schema } } }
  readonly responses: {
    readonly [status: string]: {
      readonly description: string
      readonly content: { readonly [type: string]: { readonly schema: Schema } }
    }
  }
}

export interface Document {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Described } }
}

const json = 'application/json'

export function describedIn(document: Document, { method, path }: Operation): Described {
  const found = document.paths[path]?.[method.toLowerCase()]
  if (found === undefined) throw new Error(`the document has no ${method} ${path}`)
  return found
}

export function answerSchema({ responses }: Described): Schema {
  return responses[200]?.content[json]?.schema ?? {}
}

export function argumentsSchema({ requestBody, parameters = [] }: Described): Schema {
  const inQuery = parameters.filter(each => each.in === 'query')
  const query = inQuery.map(({ name, description = '', schema }) => [name, { description, ...schema }] as const)
  return requestBody?.content[json]?.schema ?? { type: 'object', properties: Object.fromEntries(query) }
}

/** Where the member's own name would not say what this operation answers with. */
const betterNames: { readonly [id: string]: string } = {
  revokeToken: 'Revocation',
  eraseCustomer: 'Erasure',
  advanceSandboxClock: 'SandboxClock',
  showHookDelivery: 'WholeHookDelivery',
  testHookEndpoint: 'WholeHookDelivery',
  answerHookRequest: 'AnsweredHookRequest',
}

/** Types by name, each once: what two operations answer with in the same shape has one name. */
class Types {
  readonly written = new Map<string, string>()

  named(name: string, schema: Schema, isGiven = false): string {
    const shape = `export interface ${name} ${typeOf(schema, isGiven)}`
    const known = this.written.get(name)
    if (known !== undefined && known !== shape) throw new Error(`${name} has two shapes: give one a better name`)
    this.written.set(name, shape)
    return name
  }
}

const pascal = (name: string) => name.replace(/(?:^|_)([a-z])/g, (_, first: string) => first.toUpperCase())
const comment = (says: string | undefined) => (says ? `/** ${says} */\n` : '')
const saysOf = ({ description, anyOf = [] }: Schema) => description ?? anyOf.find(each => each.description)?.description
const propertyName = (name: string) => (/^\w+$/.test(name) ? name : JSON.stringify(name))

/** What is given may also be undefined: the sender leaves it out. */
function typeOf(schema: Schema, isGiven: boolean): string {
  if (schema.enum !== undefined) return union(schema.enum.map(literal), isGiven)
  const many = schema.anyOf ?? (typeof schema.type === 'object' ? schema.type.map(type => ({ ...schema, type })) : null)
  if (many !== null) {
    return union(
      many.map(each => typeOf(each, isGiven)),
      isGiven,
    )
  }
  if (schema.type === 'array') return `readonly (${typeOf(schema.items ?? {}, isGiven)})[]`
  if (schema.type === 'object') return objectType(schema, isGiven)
  if (schema.type === 'integer') return 'number'
  return typeof schema.type === 'string' ? schema.type : 'unknown'
}

const literal = (value: unknown) => (typeof value === 'boolean' ? 'boolean' : JSON.stringify(value))

/** Beside another type, a text is how a form spells that one, and the empty one how it spells null. The client sends JSON. */
function union(types: readonly string[], isGiven: boolean): string {
  const isText = (type: string) => type === 'string' || type.startsWith('"')
  const hasOther = types.some(type => !isText(type) && type !== 'null')
  const kept = isGiven ? types.filter(type => type !== '""' && !(hasOther && isText(type))) : types
  return [...new Set(kept)].join(' | ')
}

function objectType({ properties = {}, required = [], additionalProperties: more }: Schema, isGiven: boolean): string {
  const members = Object.entries(properties).map(([name, schema]) => {
    const isOptional = !required.includes(name)
    const type = `${typeOf(schema, isGiven)}${isOptional && isGiven ? ' | undefined' : ''}`
    return `${comment(saysOf(schema))}readonly ${propertyName(name)}${isOptional ? '?' : ''}: ${type}`
  })
  const isOpen = more === true || members.length === 0
  const others = typeof more === 'object' ? typeOf(more, isGiven) : isOpen ? 'unknown' : null
  if (others !== null) members.push(`readonly [name: string]: ${others}`)
  return `{\n${members.join('\n')}\n}`
}

function methodType(types: Types, document: Document, name: string, operation: Operation): string {
  const described = describedIn(document, operation)
  const given = argumentsSchema(described)
  const [, inPath] = /\{(\w+)\}/.exec(operation.path) ?? []
  const isNeeded = (given.required ?? []).length > 0 || operation.method === 'PATCH'
  const parameters = [
    ...(inPath === undefined ? [] : [`${inPath.replace(/_([a-z])/g, (_, next) => next.toUpperCase())}: string`]),
    ...(operation.takesArguments
      ? [`asked${isNeeded ? '' : '?'}: ${types.named(`${pascal(operation.id)}Arguments`, given, true)}`]
      : []),
    'options?: CallOptions',
  ]
  return `${methodComment(described)}${name}(${parameters.join(', ')}): ${answerType(types, described, operation)}`
}

/** What is neither done nor refused is an answer too, and whoever calls has to know. */
function methodComment({ summary, responses }: Described): string {
  const waits = responses[202]?.description
  return waits === undefined
    ? comment(`${summary}.`)
    : `/**\n * ${summary}. Look at its \`status\`.\n *\n * 202: ${waits}\n */\n`
}

function answerType(types: Types, described: Described, { id, member, gives }: Operation): string {
  const answer = answerSchema(described)
  if (gives === 'one') {
    const thing = member === null ? answer : (answer.properties?.[member] ?? {})
    return `Promise<${types.named(betterNames[id] ?? pascal(member ?? `${id}Answer`), thing)}>`
  }
  // An array does not say of what it is; a refusal does.
  const [about = ''] = Object.keys(described.responses['4XX']?.content[json]?.schema.properties ?? {})
  const row = types.named(betterNames[id] ?? pascal(about), answer.items ?? {})
  return gives === 'pages' ? `Listing<${row}>` : `Promise<readonly ${row}[]>`
}

export async function clientTypes(document: Document): Promise<string> {
  const types = new Types()
  const resources = Object.entries(operations).map(([resource, methods]) => {
    const written = Object.entries(methods).map(([name, operation]) => methodType(types, document, name, operation))
    return `export interface ${pascal(resource)}Methods {\n${written.join('\n')}\n}`
  })
  const all = Object.keys(operations).map(name => `readonly ${name}: ${pascal(name)}Methods`)
  return formatted(
    [
      "// Written from the service's OpenAPI document: UPDATE_DOCS=1 npm test -- server/test/the-sdk-client.test.ts",
      "import type { Listing } from './listing.ts'\nimport type { CallOptions } from './settings.ts'",
      ...types.written.values(),
      ...resources,
      `/** All that a client has, by what it is about. */\nexport interface Resources {\n${all.join('\n')}\n}`,
    ].join('\n\n'),
  )
}

async function formatted(code: string): Promise<string> {
  const biome = spawn('node_modules/.bin/biome', ['format', '--stdin-file-path=sdk/src/client/api-types.ts'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  biome.stdin.end(code)
  return text(biome.stdout)
}
