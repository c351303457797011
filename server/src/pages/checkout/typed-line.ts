// One line that a customer typed. Wherever somebody types a card number that does not belong there, it goes no further.

import { maskCardNumbers, maskedBeginning } from '../../core/card-number.ts'
import type { Words } from '../words/words.ts'

export type Form = { readonly [name: string]: string }
/** Those of a card are the same on every page that takes one. */
export type ProblemCode =
  | keyof Words['checkout']['problems']
  | Exclude<keyof Words['card']['wrong'], 'consent'>
  | 'units'
/** What is wrong, by the name of its field. */
export type Problems = { readonly [field: string]: ProblemCode }
/** The same while a form is read. */
export type Found = { [field: string]: ProblemCode }

export interface LineRule {
  readonly charsMax: number
  readonly required: boolean
}

/** Null: nothing was typed, or it is wrong and `found` says so. */
export function typedLine(form: Form, name: string, { charsMax, required }: LineRule, found: Found): string | null {
  const text = (form[name] ?? '').trim()
  const problem = text === '' ? (required ? 'required' : null) : problemWith(text, charsMax)
  if (problem !== null) found[name] = problem
  return text === '' || problem !== null ? null : maskCardNumbers(text)
}

function problemWith(text: string, charsMax: number): ProblemCode | null {
  if (/\p{Cc}/u.test(text)) return 'characters'
  return text.length > charsMax ? 'tooLong' : null
}

const shownCharsMax = 500

/** What was typed, to be shown in its field again. */
export function shownAgain(text: string): string {
  return maskedBeginning(text.replace(/\p{Cc}/gu, ' '), shownCharsMax).toWellFormed()
}
