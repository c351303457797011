// What signing in, setting a password and confirming by one are refused with.

import type { FastifyReply } from 'fastify'
import { answerText } from '../core/json.ts'
import { type PasswordFault, passwordBytesMax, passwordCharsMin } from '../core/password-rules.ts'
import { ApiError } from '../http/errors.ts'

/** Somebody failed too often, or too many passwords are being checked just now. */
export type NotNow = { readonly kind: 'too often'; readonly retryAfterS: number }

export type FaultyPassword = { readonly kind: 'faulty'; readonly fault: PasswordFault }

export function isNotNow(outcome: { readonly kind: string }): outcome is NotNow {
  return outcome.kind === 'too often'
}

export function notNow({ retryAfterS }: NotNow): ApiError {
  return ApiError.tooMany(`Too many tries: try again in ${inWords(retryAfterS)}.`, retryAfterS)
}

function inWords(seconds: number): string {
  if (seconds < 90) return seconds === 1 ? '1 second' : `${seconds} seconds`
  return `${Math.ceil(seconds / 60)} minutes`
}

const faultSays: { readonly [fault in PasswordFault]: string } = {
  short: `A password must have at least ${passwordCharsMin} characters.`,
  long: `A password must have at most ${passwordBytesMax} bytes.`,
  name: 'That password is too close to the email address.',
  simple: 'That password is too simple: use more different characters, in no obvious order.',
  common: 'That password is one of those that are guessed first.',
}

/** `why` is for the page, which says it in the person's language. */
export function sendFaulty(reply: FastifyReply, field: string, { fault }: FaultyPassword): FastifyReply {
  return reply.code(422).send(answerText({ errors: { [field]: faultSays[fault] }, why: fault }))
}
