// From bytes to arguments. Strict, because a charge is at stake: each argument once, real UTF-8, whole percent-encoding,
// no NUL. What cannot be read is refused with a sentence, never repaired.

import { keptDepthMax, shownName, tooDeep, whyNotKept } from '../core/kept-json.ts'
import type { Json } from '../core/offer.ts'

export type Arguments = { readonly [name: string]: Json }

/** The body cannot be read, or is refused before it is held against a schema: a sentence for each argument to blame. */
export class UnreadableArgumentsError extends Error {
  readonly errors: { readonly [field: string]: string }
  readonly status: number
  constructor(errors: string | { readonly [field: string]: string }, status = 422) {
    super(typeof errors === 'string' ? errors : Object.values(errors).join(' '))
    this.errors = typeof errors === 'string' ? { general: errors } : errors
    this.status = status
  }
}

/** Of a body. In JSON each member of a list or an object is a value. */
export interface ArgumentLimits {
  readonly names: number
  readonly values: number
}

/** No route but those for offers takes more than a few dozen. */
export const usualLimits: ArgumentLimits = { names: 200, values: 2_000 }
/** What an offer keeps has 19,456 bytes as JSON text: a value takes two of them with its comma, a member of text seven with its name. */
export const offerLimits: ArgumentLimits = { names: 3_000, values: 10_000 }

export const wrongContentType = 'The Content-Type must be application/x-www-form-urlencoded or application/json.'

const compressed = 'The body must not be compressed: leave out Content-Encoding.'

/** What is announced as compressed is not read as if it were not: it is not what its sender means. */
export function refuseCompressed(contentEncoding: string | undefined): void {
  if (contentEncoding === undefined || contentEncoding.trim().toLowerCase() === 'identity') return
  throw new UnreadableArgumentsError(compressed, 415)
}

export function readArguments(
  contentType: string | undefined,
  body: Buffer,
  limits: ArgumentLimits = usualLimits,
): Arguments {
  if (body.length === 0) return noArguments()
  const text = decodeUtf8(body)
  switch (mediaTypeOf(contentType)) {
    case formType:
      return readForm(text, limits)
    case 'application/json':
      return readJson(text, limits)
    default:
      throw new UnreadableArgumentsError(wrongContentType, 415)
  }
}

const formType = 'application/x-www-form-urlencoded'

function mediaTypeOf(contentType: string | undefined): string | undefined {
  return contentType?.split(';')[0]?.trim().toLowerCase()
}

export function isForm(contentType: string | undefined): boolean {
  return mediaTypeOf(contentType) === formType
}

/** Without a prototype, so that an argument named like one of its members is just an argument. */
function noArguments(): { [name: string]: Json } {
  return Object.create(null)
}

function decodeUtf8(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    throw new UnreadableArgumentsError('The body is not valid UTF-8.')
  }
}

function readForm(text: string, limits: ArgumentLimits): Arguments {
  const found = noArguments()
  let names = 0
  for (const pair of text.split('&')) {
    if (pair === '') continue
    names += 1
    if (names > limits.names) throw tooManyNames(limits)
    const equals = pair.indexOf('=')
    const name = decodePart(equals === -1 ? pair : pair.slice(0, equals), null)
    const value = decodePart(equals === -1 ? '' : pair.slice(equals + 1), name)
    add(found, name, value)
  }
  return found
}

/** `name`: of the argument whose value it is; null: it is a name itself. */
function decodePart(text: string, name: string | null): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    const wrong = 'has broken percent-encoding.'
    throw name === null ? new UnreadableArgumentsError(`The body ${wrong}`) : unreadable(name, wrong)
  }
}

function tooManyNames({ names }: ArgumentLimits): UnreadableArgumentsError {
  return new UnreadableArgumentsError(`The body has more than ${names} arguments. Send only those that are needed.`)
}

function readJson(text: string, limits: ArgumentLimits): Arguments {
  const parsed = parseJson(text)
  if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed)) {
    throw new UnreadableArgumentsError('The body must be a JSON object.')
  }
  const names = Object.keys(parsed)
  if (names.length > limits.names) throw tooManyNames(limits)
  checkNamesAndCount(text, limits)
  const found = noArguments()
  for (const name of names) add(found, name, parsed[name] ?? null)
  return found
}

/** A form has a list or an object as JSON text. Null: it is no such text. */
export function readJsonText(name: string, text: string, limits: ArgumentLimits): Json | null {
  const parsed = /^\s*[[{]/.test(text) ? parsedOrNull(text) : null
  if (parsed === null) return null
  checkNamesAndCount(text, limits, name)
  const wrong = whyNotKept(name, parsed)
  if (wrong !== null) throw unreadable(name, wrong)
  return parsed
}

function parsedOrNull(text: string): Json | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    throw new UnreadableArgumentsError('The body is not valid JSON.')
  }
}

/** An object or a list that is not closed yet: the names that it has so far, and what is being read in it. */
interface Open {
  readonly names: Set<string> | null
  at: string | number
}

/**
 * JSON.parse keeps the last of two equal names without a word, so the names are read from the text itself, which JSON.parse has
 * accepted. Each character is looked at a fixed number of times, however the text is nested, and none after too many values or levels:
 * there are more values than commas, and as many at least as lists and objects.
 */
function checkNamesAndCount(text: string, limits: ArgumentLimits, root?: string): void {
  const open: Open[] = root === undefined ? [] : [{ names: null, at: root }]
  let commas = 0
  let opened = 0
  const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\],]/g
  for (const [token, colon] of text.matchAll(tokens)) {
    const inner = open.at(-1)
    if (token === ',') commas += 1
    else if (token === '{' || token === '[') opened += 1
    if (commas >= limits.values || opened > limits.values) throw tooManyValues(limits, root)
    if (open.length > keptDepthMax + 1) throw unreadable(String(open[0]?.at), tooDeep)
    if (token === '{') open.push({ names: new Set(), at: '' })
    else if (token === '[') open.push({ names: null, at: 0 })
    else if (token === '}' || token === ']') open.pop()
    else if (token === ',' && typeof inner?.at === 'number') inner.at += 1
    else if (colon !== undefined && inner?.names) {
      inner.at = JSON.parse(token.slice(0, -colon.length)) as string
      if (inner.names.has(inner.at)) throw unreadable(pathName(open.map(({ at }) => at)), 'is given more than once.')
      inner.names.add(inner.at)
    }
  }
}

function tooManyValues({ values }: ArgumentLimits, name: string | undefined): UnreadableArgumentsError {
  const wrong = `has more than ${values} values. Send fewer.`
  return name === undefined ? new UnreadableArgumentsError(`The body ${wrong}`) : unreadable(name, wrong)
}

/** A member of JSON by the name that it would have in a form: `custom_fields[0][name]`. */
export function pathName([first = '', ...inner]: readonly (string | number)[]): string {
  return [first, ...inner.map(each => `[${each}]`)].join('')
}

function add(found: { [name: string]: Json }, name: string, value: Json): void {
  const wrong = name in found ? 'is given more than once.' : whyNotKept(name, value)
  if (wrong !== null) throw unreadable(name, wrong)
  found[name] = value
}

/** Blames an argument by its name, as far as an error may repeat that; it may be nothing but blanks or NUL. */
function unreadable(name: string, wrong: string): UnreadableArgumentsError {
  const shown = shownName(name)
  if (shown.trim() === '') return new UnreadableArgumentsError(`An argument without a name ${wrong}`)
  return new UnreadableArgumentsError({ [shown]: `${shown} ${wrong}` })
}
