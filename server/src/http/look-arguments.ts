// The arguments that change how a merchant's pages look, for whoever changes it or only wants to see how that would look.

import type { Static } from 'typebox'
import { maskCardNumbers } from '../core/card-number.ts'
import { type LookChange, logoBytesMax, type WholeLogo } from '../core/look.ts'
import { pictureIn } from '../core/picture.ts'
import type { ServiceFacts } from '../core/sale.ts'
import { originFrom, whyNotReturnUrl } from './browser-urls.ts'
import { ApiError } from './errors.ts'
import { emailField, jsonField, removableField, urlField } from './fields.ts'
import { Type } from './schema.ts'

export interface PaymentPageChange extends LookChange {
  readonly name?: string
}

const logoSideMax = 2_000
const ancestorsMax = 10

const nameSays = 'must be text of 1 to 100 characters on one line, and begin with one that can be seen.'
const logoSays = `must be the base64 of a PNG, JPEG or WebP picture of at most ${logoBytesMax / 1_024} KiB and ${logoSideMax} pixels a side.`
const ancestorsSays = `must be a list of at most ${ancestorsMax} origins such as "https://shop.example".`

const colorField = (description: string) =>
  removableField(
    Type.String({ pattern: '^#[0-9A-Fa-f]{6}$', says: 'must be a colour such as "#1a56db".', description }),
  )

const changeable = {
  name: Type.Optional(
    Type.String({
      maxLength: 100,
      pattern: '^[^\\p{Cc}\\s][^\\p{Cc}]*$',
      says: nameSays,
      description: 'What customers know the merchant by.',
    }),
  ),
  logo: Type.Optional(
    removableField(
      Type.String({ says: logoSays, description: 'Shown in place of the name: base64 of a PNG, JPEG or WebP.' }),
    ),
  ),
  button_color: Type.Optional(colorField('Of what is pressed; the letters on it are black or white by themselves.')),
  background_color: Type.Optional(colorField('Behind everything.')),
  support_email: Type.Optional(removableField(emailField('Whom a customer may ask.'))),
  return_url: Type.Optional(removableField(urlField('Where a customer may go on after paying.'))),
  frame_ancestors: Type.Optional(
    jsonField(
      Type.Array(Type.String(), { maxItems: ancestorsMax }),
      ancestorsSays,
      'Origins that may show the pages in a frame; in a form with blanks or commas between them.',
    ),
  ),
}
const cardNumberSays = 'must have no card number.'
export const lookBody = Type.Object(changeable)
export type LookBody = Static<typeof lookBody>
const nothingNamed = `Name at least one of ${Object.keys(changeable).join(', ')}.`

/** What is named, in the form in which it is kept. */
export function readLook(body: LookBody, service: ServiceFacts): PaymentPageChange {
  // What would change nothing is a mistake, and better said than passed over.
  if (!Object.keys(changeable).some(name => name in body)) throw new ApiError(422, { general: nothingNamed })
  const { name, button_color, background_color, support_email, return_url } = body
  const logo = body.logo ? logoFrom(body.logo) : null
  const frameAncestors = ancestorsFrom(body.frame_ancestors ?? [], service)
  refuse({
    name: hasCardNumber(name) ? cardNumberSays : null,
    logo: body.logo && logo === null ? logoSays : null,
    support_email: hasCardNumber(support_email) ? cardNumberSays : null,
    return_url: return_url ? whyNotReturnUrl(return_url, service) : null,
    frame_ancestors: frameAncestors === null ? ancestorsSays : null,
  })
  return {
    ...(name !== undefined && { name }),
    ...(body.logo !== undefined && { logo }),
    ...(button_color !== undefined && { buttonColor: button_color?.toLowerCase() || null }),
    ...(background_color !== undefined && { backgroundColor: background_color?.toLowerCase() || null }),
    ...(support_email !== undefined && { supportEmail: support_email || null }),
    ...(return_url !== undefined && { returnUrl: return_url ? new URL(return_url).href : null }),
    ...(body.frame_ancestors !== undefined && frameAncestors !== null && { frameAncestors }),
  }
}

/** One sentence for each field about which there is something to say. */
function refuse(wrong: { readonly [field: string]: string | null }): void {
  const said = Object.entries(wrong).filter(([, says]) => says !== null)
  if (said.length === 0) return
  throw new ApiError(422, Object.fromEntries(said.map(([field, says]) => [field, `${field} ${says}`])))
}

function hasCardNumber(text: string | null | undefined): boolean {
  return maskCardNumbers(text ?? '') !== (text ?? '')
}

/** `base64` breaks its lines; and a form that does not encode a `+` has a blank there. Null: no picture that fits. */
function logoFrom(text: string): WholeLogo | null {
  const base64 = text.replace(/[\r\n]/g, '').replaceAll(' ', '+')
  const bytes = /^[A-Za-z0-9+/]+={0,2}$/.test(base64) ? Buffer.from(base64, 'base64') : Buffer.alloc(0)
  const picture = bytes.length <= logoBytesMax ? pictureIn(bytes) : null
  const fits = (side: number) => side >= 1 && side <= logoSideMax
  return picture !== null && fits(picture.width) && fits(picture.height) ? { type: picture.type, bytes } : null
}

/** Null: some are none, or there are too many. */
function ancestorsFrom(given: unknown, service: ServiceFacts): string[] | null {
  const texts = typeof given === 'string' ? given.split(/[\s,]+/).filter(text => text !== '') : (given as string[])
  if (texts.length > ancestorsMax) return null
  const origins = texts.map(text => originFrom(text, service))
  const all = new Set(origins.filter(origin => origin !== null))
  return origins.includes(null) ? null : [...all]
}
