// Only arguments that a route names in its schemas are taken, in the body, in the query and at every depth of JSON: a misspelt
// amount must not move another amount. It is done for every route of a scope, so that none can forget it.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { shownName } from '../core/kept-json.ts'
import { nearest } from '../core/nearest.ts'
import type { Json } from '../core/offer.ts'
import { keyHeader } from '../core/repetition.ts'
import {
  type ArgumentLimits,
  isForm,
  offerLimits,
  pathName,
  readJsonText,
  UnreadableArgumentsError,
  usualLimits,
} from './arguments.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of its body, where they are not the usual ones. */
    readonly argumentLimits?: ArgumentLimits
  }
}

export function limitsOf({ routeOptions }: FastifyRequest): ArgumentLimits {
  return routeOptions.config.argumentLimits ?? usualLimits
}

export interface ArgumentSchema {
  readonly type?: unknown
  readonly properties?: { readonly [name: string]: ArgumentSchema }
  readonly items?: ArgumentSchema
  readonly maxItems?: number
  readonly anyOf?: readonly ArgumentSchema[]
  /** Set where a schema takes members that it does not name. */
  readonly additionalProperties?: boolean
  readonly says?: string
  readonly jsonText?: boolean
  readonly formMembers?: boolean
  readonly bytesMax?: number
  readonly notTaken?: { readonly [name: string]: string }
}

/** For a body or a query that takes nothing. Known by identity: the OpenAPI document does not describe it. */
export const noArguments: ArgumentSchema = { type: 'object', properties: {}, additionalProperties: false }

/** For all routes that the scope registers after this. */
export function takeKnownArgumentsOnly(scope: FastifyInstance): void {
  scope.addHook('onRoute', route => {
    const { body, querystring, ...others } = route.schema ?? {}
    const takesBody = route.method !== 'GET'
    if (takesMembers(body as ArgumentSchema | undefined))
      route.config = { ...route.config, argumentLimits: offerLimits }
    route.schema = {
      ...others,
      querystring: closed((querystring ?? noArguments) as ArgumentSchema),
      ...(takesBody && { body: closed((body ?? noArguments) as ArgumentSchema) }),
    }
  })
  scope.addHook('preValidation', async request => {
    if (request.method === 'GET') refuseBody(request)
    else readMembers(request)
    const { querystring, body } = (request.routeOptions.schema ?? {}) as { readonly [part: string]: ArgumentSchema }
    refuseTooMany(querystring ?? noArguments, request.query as Json, body ?? null)
    if (request.method !== 'GET') refuseTooMany(body ?? noArguments, request.body as Json, null)
  })
}

function takesMembers(body: ArgumentSchema | undefined): boolean {
  return Object.values(body?.properties ?? {}).some(({ formMembers }) => formMembers === true)
}

/** Routes share schemas, and validators are compiled once for a schema. */
const closedSchemas = new WeakMap<ArgumentSchema, ArgumentSchema>()

function closed(schema: ArgumentSchema): ArgumentSchema {
  const known = closedSchemas.get(schema)
  if (known !== undefined) return known
  const { properties, items, anyOf } = schema
  const whole: ArgumentSchema = {
    ...schema,
    ...(properties !== undefined && { properties: mapValues(properties, closed) }),
    ...(items !== undefined && { items: closed(items) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map(closed) }),
    ...(schema.type === 'object' && { additionalProperties: schema.additionalProperties ?? false }),
  }
  const result = schema === noArguments ? noArguments : whole
  closedSchemas.set(schema, result)
  return result
}

function mapValues<Value>(values: { readonly [name: string]: Value }, change: (value: Value) => Value) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
}

/** The framework does not read it: what it says would be passed over. */
function refuseBody({ headers }: FastifyRequest): void {
  const isThere = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  if (isThere) throw new UnreadableArgumentsError('This GET takes no body. Send arguments in the query.')
}

type Body = { [name: string]: Json }

/** What a form cannot say is brought into the shape that JSON has, so that both are held against the same schema. */
function readMembers(request: FastifyRequest): void {
  const body = request.body as Body
  const { properties = {} } = (request.routeOptions.schema?.body ?? noArguments) as ArgumentSchema
  for (const [name, { jsonText, formMembers }] of Object.entries(properties)) {
    const given = body[name]
    if (jsonText === true && typeof given === 'string')
      body[name] = readJsonText(name, given, limitsOf(request)) ?? given
    if (formMembers === true && isForm(request.headers['content-type'])) gatherMembers(body, name)
  }
}

/** `custom_data[sku]=1` is the member `sku` of `custom_data`. */
function gatherMembers(body: Body, name: string): void {
  const members: Body = Object.create(null)
  for (const each of Object.keys(body).filter(other => other.startsWith(`${name}[`))) {
    const key = /^\[([^[\]]+)\]$/.exec(each.slice(name.length))?.[1]
    if (key === undefined) {
      const shown = shownName(each)
      const says = `${shown} must be written as ${name}[key]=value, with one key.`
      throw new UnreadableArgumentsError({ [shown]: says })
    }
    members[key] = body[each] ?? null
    delete body[each]
  }
  // What stands there without a key is no object, and refused as that.
  if (Object.keys(members).length > 0) body[name] ??= members
}

/** More of them would make an answer that is larger than what was asked. */
export const unknownNamedMax = 20

/**
 * Before the validator, which makes an object for each thing that is wrong. Where few are unknown it goes on there, so that what is
 * missing is said as well.
 */
function refuseTooMany(schema: ArgumentSchema, given: Json, bodySchema: ArgumentSchema | null): void {
  if (hasFewPlainValues(given)) return
  const unknown: UnknownArgument[] = []
  findUnknown({ schema, path: [], bodySchema }, given, unknown)
  if (unknown.length <= unknownNamedMax) return
  throw new UnreadableArgumentsError(Object.fromEntries(unknown.slice(0, unknownNamedMax).map(sayUnknown)))
}

/** Nearly all requests are so, a charge among them. */
function hasFewPlainValues(given: Json): boolean {
  if (given === null || typeof given !== 'object') return true
  let names = 0
  for (const name in given) {
    names += 1
    if (names > unknownNamedMax || typeof (given as Body)[name] === 'object') return false
  }
  return true
}

type Place = Omit<UnknownArgument, 'name'>

/** Ends with one more than are named. */
function findUnknown(place: Place, given: Json, unknown: UnknownArgument[]): void {
  if (given === null || typeof given !== 'object') return
  const { schema, path } = place
  for (const each of schema.anyOf ?? []) findUnknown({ ...place, schema: each }, given, unknown)
  if (Array.isArray(given)) findInList(place, given, unknown)
  const { properties } = schema
  if (properties === undefined || Array.isArray(given)) return
  for (const name of Object.keys(given)) {
    if (unknown.length > unknownNamedMax) return
    const inner = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (inner === undefined) {
      if (schema.additionalProperties === false) unknown.push({ ...place, name })
      continue
    }
    const value = given[name] ?? null
    if (typeof value === 'object' && isTooLong(inner, value)) throw tooLong(path[0] ?? name, inner)
    findUnknown({ ...place, schema: inner, path: [...path, name] }, value, unknown)
  }
}

function findInList(place: Place, given: readonly Json[], unknown: UnknownArgument[]): void {
  const { items } = place.schema
  if (items === undefined) return
  for (const [at, value] of given.entries()) {
    if (unknown.length > unknownNamedMax) return
    findUnknown({ ...place, schema: items, path: [...place.path, String(at)] }, value, unknown)
  }
}

function isTooLong({ maxItems, anyOf = [] }: ArgumentSchema, value: Json): boolean {
  if (!Array.isArray(value)) return false
  return (maxItems !== undefined && value.length > maxItems) || anyOf.some(each => isTooLong(each, value))
}

function tooLong(name: string, { says }: ArgumentSchema): UnreadableArgumentsError {
  return new UnreadableArgumentsError({ [name]: `${name} ${says ?? 'has too many items.'}` })
}

export interface UnknownArgument {
  /** To the object that has it; empty: it is an argument of its own. */
  readonly path: readonly string[]
  readonly name: string
  /** Of the object that has it. */
  readonly schema: ArgumentSchema
  /** Of the body, where it stands in the query. */
  readonly bodySchema: ArgumentSchema | null
}

/** The argument's name as an error may show it, and the sentence. */
export function sayUnknown(unknown: UnknownArgument): readonly [name: string, sentence: string] {
  const shown = shownName(pathName([...unknown.path, unknown.name]))
  if (shown.trim() === '') return ['general', 'An argument without a name is not known.']
  return [shown, `${shown} ${whatToDo(unknown, shown)}`]
}

function whatToDo({ path, name, schema, bodySchema }: UnknownArgument, shown: string): string {
  const { properties = {}, notTaken = {} } = schema
  if (Object.hasOwn(notTaken, name)) return String(notTaken[name])
  if (path.length === 0 && /^idempotency[-_ ]?key$/i.test(name))
    return `is not known. Send it as the header ${keyHeader}.`
  if (Object.hasOwn(bodySchema?.properties ?? {}, name)) return 'belongs in the body, not in the URL.'
  const [, list = ''] = /^([^[]+)\[/.exec(name) ?? []
  if (Object.hasOwn(properties, list) && properties[list]?.jsonText === true)
    return `is not known. Send ${list} as one argument, in JSON.`
  if (Object.hasOwn(properties, list) && properties[list]?.formMembers === true)
    return `is not known. In JSON, ${list} is an object.`
  const meant = nearest(name, Object.keys(properties))
  if (meant !== null) return `is not known. Did you mean ${meant}?`
  const extra = Object.keys(properties).find(each => properties[each]?.formMembers === true)
  return extra === undefined ? 'is not known.' : `is not known. Send extra data as ${extra}[${shown}].`
}
