// What is typed into the form of the look, and the arguments of REST that it makes.

import type { PaymentPageRecord } from '../../../../server/src/console/contract/records.ts'

export interface LookForm {
  readonly name: string
  readonly button_color: string
  readonly background_color: string
  readonly support_email: string
  readonly return_url: string
  /** A line for each. */
  readonly frame_ancestors: string
  /** Undefined: as it is. Null: none. Else base64 of a new one. */
  readonly logo?: string | null
}

export function formOf(page: PaymentPageRecord): LookForm {
  return {
    name: page.name,
    button_color: page.button_color ?? '',
    background_color: page.background_color ?? '',
    support_email: page.support_email ?? '',
    return_url: page.return_url ?? '',
    frame_ancestors: page.frame_ancestors.join('\n'),
  }
}

/** Whole, so that the preview shows what would be. Empty text takes away what is there. */
export function argumentsOf({ frame_ancestors, logo, ...texts }: LookForm): { readonly [name: string]: unknown } {
  const trimmed = Object.entries(texts).map(([name, text]) => [name, text.trim()])
  const origins = frame_ancestors.split(/[\s,]+/).filter(origin => origin !== '')
  return { ...Object.fromEntries(trimmed), frame_ancestors: origins, ...(logo !== undefined && { logo }) }
}

export const logoBytesMax = 40_960
const logoTypes = ['image/png', 'image/jpeg', 'image/webp']

/** Why a file cannot be a logo; null: it can, as far as can be told here. */
export function whyNotLogo({ type, size }: Pick<File, 'type' | 'size'>): 'type' | 'size' | null {
  if (!logoTypes.includes(type)) return 'type'
  return size > logoBytesMax ? 'size' : null
}

export async function base64Of(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''))
}
