// What the inbox does with a hook: read it, verify it, keep it. It is a merchant's application in miniature, and believes
// nothing that is not signed.

import { verifyHook } from '@tillbell/sdk'
import { maskCardNumbers } from '../core/card-number.ts'
import { fieldsOf, formType, isForm } from './own-form.ts'

const parameters = ['details', 'signature'] as const
const signatureCharsMax = 200
const detailsBytesMax = 65_536

export interface Posted {
  readonly details: string
  readonly signature: string
}

export interface Refusal {
  readonly status: number
  readonly errors: { readonly [field: string]: string }
}

export function readPosted(contentType: string | undefined, body: string): Posted | Refusal {
  if (!isForm(contentType))
    return { status: 415, errors: { general: `A hook is a form: its Content-Type is ${formType}.` } }
  const form = fieldsOf(body)
  if (form === null) return { status: 400, errors: { general: 'A hook has two fields: details and signature.' } }
  const errors = parameters.flatMap(name => {
    const count = form.getAll(name).length
    return count === 1 ? [] : [[name, `${name} is required${count === 0 ? '' : ' once'}.`]]
  })
  if (errors.length > 0) return { status: 400, errors: Object.fromEntries(errors) }
  const [details = '', signature = ''] = parameters.map(name => form.get(name) ?? '')
  return Buffer.byteLength(details) > detailsBytesMax
    ? { status: 413, errors: { details: 'details is larger than 64 KiB.' } }
    : { details, signature }
}

/** During a change of keys, a hook may still be signed with the former one, or already with the next. */
export function isVerified({ details, signature }: Posted, privateKeys: readonly string[]): boolean {
  return privateKeys.some(key => verifyHook(details, signature, key))
}

/** PostgreSQL's text holds no NUL. What nobody signed, anybody wrote: it may hold a card number. */
export function storable({ details, signature }: Posted, verified: boolean): Posted {
  const clean = (text: string) => {
    const whole = text.replaceAll('\0', '\uFFFD')
    return verified ? whole : maskCardNumbers(whole)
  }
  return { details: clean(details), signature: clean(signature.slice(0, signatureCharsMax)) }
}
