// Says what is wrong with a request's parameters, in the words and codes of Stripe's reference. Which parameters an
// endpoint takes is in endpoints.ts.

import type { Form, FormValue } from './form.ts'
import type { ErrorBody } from './objects.ts'
import { invalid, type Reply } from './reply.ts'

export type Check = (value: FormValue, name: string) => Reply | null
export interface Parameters {
  readonly [name: string]: Check
}

type More = Omit<Partial<ErrorBody>, 'type' | 'message'>
const wrong = (name: string, message: string, more: More = {}): Reply => invalid(message, { param: name, ...more })

export const text: Check = (value, name) => {
  if (typeof value !== 'string') return wrong(name, `Invalid string: ${JSON.stringify(value)}`)
  return value === ''
    ? wrong(name, `You passed an empty string for '${name}'.`, { code: 'parameter_invalid_empty' })
    : null
}

export function integer(min: number, max: number): Check {
  return (value, name) => {
    const isInteger = typeof value === 'string' && /^-?\d{1,15}$/.test(value)
    if (!isInteger) return wrong(name, `Invalid integer: ${String(value)}`, { code: 'parameter_invalid_integer' })
    if (Number(value) < min) {
      return wrong(name, `This value must be greater than or equal to ${min}.`, { code: 'parameter_invalid_integer' })
    }
    const code = 'parameter_invalid_integer'
    return Number(value) > max ? wrong(name, `This value must be less than or equal to ${max}.`, { code }) : null
  }
}

export const flag: Check = (value, name) =>
  value === 'true' || value === 'false' ? null : wrong(name, `Invalid boolean: ${String(value)}`)

export function oneOf(...known: readonly string[]): Check {
  return (value, name) =>
    known.some(each => each === value) ? null : wrong(name, `Invalid ${name}: must be one of ${known.join(', ')}`)
}

export function listOf(check: Check): Check {
  return (value, name) => {
    if (!Array.isArray(value)) return wrong(name, 'Invalid array')
    for (const [index, each] of value.entries()) {
      const problem = check(each, `${name}[${index}]`)
      if (problem !== null) return problem
    }
    return null
  }
}

export function objectOf(parameters: Parameters): Check {
  return (value, name) => {
    if (typeof value !== 'object' || Array.isArray(value)) return wrong(name, 'Invalid object')
    return unknownOrWrong(value, parameters, inner => `${name}[${inner}]`)
  }
}

/** At most 50 names of at most 40 characters, each with at most 500. */
export const metadata: Check = (value, name) => {
  if (typeof value !== 'object' || Array.isArray(value)) return wrong(name, 'Metadata must be an object')
  const pairs = Object.entries(value)
  if (pairs.length > 50) return wrong(name, 'Metadata can only have 50 keys')
  const long = pairs.find(([key, each]) => key.length > 40 || typeof each !== 'string' || each.length > 500)
  return long === undefined ? null : wrong(name, `Metadata ${long[0]} is too long or no string`)
}

export const url: Check = (value, name) =>
  typeof value === 'string' && URL.canParse(value) ? null : wrong(name, 'Not a valid URL', { code: 'url_invalid' })

const second = integer(0, 1e12)
const spanOfTime = objectOf({ gt: second, gte: second, lt: second, lte: second })
export const created: Check = (value, name) =>
  typeof value === 'string' ? second(value, name) : spanOfTime(value, name)

export const expand = { expand: listOf(text) }
export const paging = { limit: integer(1, 100), starting_after: text, ending_before: text, ...expand }

/** Null: nothing is wrong with them. */
export function problemWith(form: Form, parameters: Parameters, required: readonly string[]): Reply | null {
  const absent = required.find(name => form[name] === undefined)
  const problem = unknownOrWrong(form, parameters, name => name)
  if (problem !== null || absent === undefined) return problem
  return wrong(absent, `Missing required param: ${absent}.`, { code: 'parameter_missing' })
}

function unknownOrWrong(form: Form, parameters: Parameters, naming: (name: string) => string): Reply | null {
  for (const [name, value] of Object.entries(form)) {
    const check = Object.hasOwn(parameters, name) ? parameters[name] : undefined
    const full = naming(name)
    if (check === undefined) return wrong(full, `Received unknown parameter: ${full}`, { code: 'parameter_unknown' })
    const problem = check(value, full)
    if (problem !== null) return problem
  }
  return null
}
