// The arguments' schemas. Each validates, documents itself in OpenAPI, and carries the rest of the sentence (`says`) that
// a caller reads when it does not fit. Forms send text and JSON sends types: both are accepted, neither is coerced.

import type { Static, TSchema } from 'typebox'
import { emailCharsMax, emailPattern, isEmail } from '../core/email.ts'
import type { Json } from '../core/offer.ts'
import { jsonBytes } from '../core/serialise-details.ts'
import { isWebAddress, webAddressCharsMax } from '../core/web-address.ts'
import { Type } from './schema.ts'

/**
 * No character of a language needs more bytes. A control character does, where JSON escapes it: what comes back in a hook
 * is bounded in bytes, and a text of nothing else is refused.
 */
const bytesPerCharacter = 4

export const textField = (lengthMax: number, description: string) =>
  Type.String({
    maxLength: lengthMax,
    bytesMax: bytesPerCharacter * lengthMax,
    says: `must be text of at most ${lengthMax} characters.`,
    description,
  })

export const requiredTextField = (lengthMax: number, description: string) =>
  Type.String({
    minLength: 1,
    maxLength: lengthMax,
    bytesMax: bytesPerCharacter * lengthMax,
    says: `must be text of 1 to ${lengthMax} characters.`,
    description,
  })

export const amountField = (description: string) =>
  Type.String({ says: 'must be decimal text such as "100.00".', description, maxLength: 40 })

export const oneOfField = <Value extends string>(values: readonly Value[], description: string) =>
  Type.Unsafe<Value>({ type: 'string', enum: values, says: `must be one of: ${values.join(', ')}.`, description })

export const flagField = (description: string) =>
  Type.Unsafe<boolean | 'true' | 'false'>({
    enum: [true, false, 'true', 'false'],
    says: 'must be true or false.',
    description,
  })

/** True, false, or one word more. */
export const flagOrField = <Word extends string>(word: Word, description: string) =>
  Type.Unsafe<boolean | 'true' | 'false' | Word>({
    enum: [true, false, 'true', 'false', word],
    says: `must be true, false or ${word}.`,
    description,
  })

export const wholeNumberField = (min: number, max: number, description: string) =>
  Type.Unsafe<number | string>({
    type: ['integer', 'string'],
    minimum: min,
    maximum: max,
    pattern: wholeNumberPattern(max),
    wholeNumberTo: [min, max],
    says: `must be a whole number from ${min} to ${max}.`,
    description,
  })

/** As many digits as the largest has; that it is not larger is for `wholeNumberTo`. */
function wholeNumberPattern(max: number): string {
  return `^(0|[1-9][0-9]{0,${String(max).length - 1}})$`
}

/** A form or a query that does not encode the `+` of our own times has a blank there. */
export const timeField = (description: string) =>
  Type.String({
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,6})?(Z|[+ -][0-9]{2}:?[0-9]{2})$',
    aRealTime: true,
    says: 'must be a time such as "2026-11-15T10:00:00Z".',
    description,
  })

export const emailField = (description: string) =>
  Type.String({
    maxLength: emailCharsMax,
    pattern: emailPattern,
    anEmail: true,
    says: 'must be an email address.',
    description,
  })

/** To find somebody by, who may be known by an address of a kind that is not taken any more. */
export const knownEmailField = (description: string) =>
  Type.String({
    pattern: '^[^\\s\\x00-\\x1f@<>,;]{1,64}@[^\\s\\x00-\\x1f@<>,;]{1,190}$',
    says: 'must be an email address.',
    description,
  })

export const urlField = (description: string) =>
  Type.String({
    maxLength: webAddressCharsMax,
    aWebAddress: true,
    says: `must be an http or https URL of at most ${webAddressCharsMax} characters.`,
    description,
  })

/** Empty text or null takes away what is there. */
export const removableField = <Field extends TSchema>(field: Field) => {
  const { says, description } = field as { readonly says?: string; readonly description?: string }
  return Type.Unsafe<Static<Field> | null>({ anyOf: [field, { enum: ['', null] }], says, description })
}

/** Only a JSON body can carry a list or an object; in a form it is the JSON text of one, which is read before it is validated. */
export const jsonField = (schema: TSchema, says: string, description: string) =>
  Type.Unsafe<unknown>({ anyOf: [schema, { type: 'string' }], jsonText: true, says, description })

/** An object of whatever members; in a form each is an argument of its own, `name[key]=value`. */
export const membersField = (name: string, description: string) =>
  Type.Unsafe<{ readonly [name: string]: Json }>({
    type: 'object',
    additionalProperties: true,
    formMembers: true,
    says: `must be an object; in a form, write ${name}[key]=value.`,
    description,
  })

export const bytesKeyword = 'bytesMax'

/** Keywords of ours, and what they check. */
export const keywords = [
  { keyword: 'says', schemaType: 'string' as const },
  { keyword: 'jsonText', schemaType: 'boolean' as const },
  { keyword: 'formMembers', schemaType: 'boolean' as const },
  /** What to say about arguments that somebody may expect here. */
  { keyword: 'notTaken', schemaType: 'object' as const },
  {
    keyword: 'wholeNumberTo',
    schemaType: 'array' as const,
    validate: ([min, max]: [number, number], value: unknown) => Number(value) >= min && Number(value) <= max,
  },
  {
    keyword: bytesKeyword,
    type: 'string' as const,
    validate: (bytesMax: number, value: string) => value.length * 6 <= bytesMax || jsonBytes(value) <= bytesMax,
  },
  {
    keyword: 'aRealTime',
    type: 'string' as const,
    validate: (_: unknown, value: string) => inOurTime(timeFrom(value).getTime()) && sameDay(value),
  },
  {
    keyword: 'anEmail',
    type: 'string' as const,
    validate: (_: unknown, value: string) => isEmail(value),
  },
  {
    keyword: 'aWebAddress',
    type: 'string' as const,
    validate: (_: unknown, value: string) => isWebAddress(value),
  },
]

/** From 1970 to 9999, in UTC: what a token and the database can hold. */
function inOurTime(timeMs: number): boolean {
  return timeMs >= 0 && timeMs < Date.UTC(10_000, 0)
}

/** Date.parse takes the 30th of February for the 2nd of March, and `0` for the year 2000: every keyword is asked, also after one that failed. */
function sameDay(time: string): boolean {
  const day = time.slice(0, 10)
  const midnight = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
}

export function timeFrom(text: string): Date {
  return new Date(text.replace(' ', '+'))
}

/** Null: it was not given. */
export function flagOrFrom<Word extends string>(
  word: Word,
  value: boolean | 'true' | 'false' | Word | undefined,
): boolean | Word | null {
  return value === undefined ? null : value === word ? word : value === true || value === 'true'
}

export function flagFrom(value: boolean | 'true' | 'false' | undefined): boolean | null {
  return value === undefined ? null : value === true || value === 'true'
}
