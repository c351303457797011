// look: how a merchant's pages look to its customers, and who may show them in a frame.

import type { MerchantId } from './ids.ts'

export interface Look {
  /** `#rrggbb`; null: ours. */
  readonly buttonColor: string | null
  readonly backgroundColor: string | null
  readonly logo: Logo | null
  readonly supportEmail: string | null
  /** Where a customer may go on after paying. */
  readonly returnUrl: string | null
  /** Origins such as `https://shop.example`. */
  readonly frameAncestors: readonly string[]
}

export interface Logo {
  readonly type: (typeof logoTypes)[number]
  /** Of its bytes: another logo has another address. */
  readonly sha256: string
}

/** Behind the service's root. */
export function logoPath(merchantId: MerchantId, { sha256 }: Logo): string {
  return `/pages/logos/${merchantId}/${sha256}`
}

export interface WholeLogo {
  readonly type: Logo['type']
  readonly bytes: Uint8Array
}

/** What is not named stays as it is. */
export interface LookChange extends Partial<Omit<Look, 'logo'>> {
  readonly logo?: WholeLogo | null
}

export const logoTypes = ['image/png', 'image/jpeg', 'image/webp'] as const
export const logoBytesMax = 40_960

export const plainLook: Look = {
  buttonColor: null,
  backgroundColor: null,
  logo: null,
  supportEmail: null,
  returnUrl: null,
  frameAncestors: [],
}

/** Black or white, whichever is easier to read on a colour: for any of them that is enough contrast for everybody. */
export function inkOn(color: string): '#000000' | '#ffffff' {
  // The ratio to black is (L + 0.05) / 0.05, to white 1.05 / (L + 0.05): they are equal at this luminance.
  const even = Math.sqrt(1.05 * 0.05) - 0.05
  return luminanceOf(color) > even ? '#000000' : '#ffffff'
}

/** As WCAG defines it, from 0 to 1. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => linear(Number.parseInt(color.slice(at, at + 2), 16) / 255))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function linear(part: number): number {
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
}
