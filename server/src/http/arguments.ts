// From bytes to arguments. Strict, because a charge is at stake: each argument once, real UTF-8, whole percent-encoding,
// no NUL. What cannot be read is refused with a sentence, never repaired.

import { maskCardNumbers } from '../core/card-number.ts'
import { memberNameCharsMax, whyNotKept } from '../core/kept-json.ts'
import type { Json } from '../core/offer.ts'

export type Arguments = { readonly [name: string]: Json }

/** The body cannot be read; `field` names the argument where one is to blame. */
export class UnreadableArgumentsError extends Error {
  readonly field: string
  readonly status: number
  constructor(sentence: string, field = 'general', status = 422) {
    super(sentence)
    this.field = field
    this.status = status
  }
}

export const wrongContentType = 'The Content-Type must be application/x-www-form-urlencoded or application/json.'

export function readArguments(contentType: string | undefined, body: Buffer): Arguments {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase()
  if (body.length === 0) return noArguments()
  const text = decodeUtf8(body)
  switch (type) {
    case 'application/x-www-form-urlencoded':
      return readForm(text)
    case 'application/json':
      return readJson(text)
    default:
      throw new UnreadableArgumentsError(wrongContentType, 'general', 415)
  }
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

function readForm(text: string): Arguments {
  const found = noArguments()
  for (const pair of text.split('&')) {
    if (pair === '') continue
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

function readJson(text: string): Arguments {
  const parsed = parseJson(text)
  if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed)) {
    throw new UnreadableArgumentsError('The body must be a JSON object.')
  }
  const found = noArguments()
  for (const name of topLevelNames(text)) add(found, name, parsed[name] ?? null)
  return found
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    throw new UnreadableArgumentsError('The body is not valid JSON.')
  }
}

/** JSON.parse keeps the last of two equal names without a word, so the names are read from the text itself. */
function topLevelNames(text: string): string[] {
  const names: string[] = []
  let depth = 0
  const tokens = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g
  for (const [token, colon] of text.matchAll(tokens)) {
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    else if (depth === 1 && colon !== undefined) names.push(JSON.parse(token.slice(0, -colon.length)))
  }
  return names
}

function add(found: { [name: string]: Json }, name: string, value: Json): void {
  if (name.length > memberNameCharsMax) {
    throw new UnreadableArgumentsError(`The name of an argument must have at most ${memberNameCharsMax} characters.`)
  }
  const wrong = name in found ? 'is given more than once.' : whyNotKept(name, value)
  if (wrong !== null) throw unreadable(name, wrong)
  found[name] = value
}

/** Blames an argument by its name, as far as an error may repeat that; it may be nothing but blanks or NUL. */
function unreadable(name: string, wrong: string): UnreadableArgumentsError {
  const shown = maskCardNumbers(name.replaceAll('\0', '').toWellFormed())
  if (shown.trim() === '') return new UnreadableArgumentsError(`An argument without a name ${wrong}`)
  return new UnreadableArgumentsError(`${shown} ${wrong}`, shown)
}
