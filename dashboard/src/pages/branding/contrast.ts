// How well letters can be read on a colour, as WCAG 2 reckons it. The payment page takes black or white by itself.

const pattern = /^#[0-9a-f]{6}$/i

export function isColour(text: string): boolean {
  return pattern.test(text)
}

/** Of black or white letters on it, whichever are used there: 4.5 or more for any colour that there is. */
export function contrastOn(colour: string): { readonly ink: 'black' | 'white'; readonly ratio: number } {
  const luminance = luminanceOf(colour)
  const [onBlack, onWhite] = [(luminance + 0.05) / 0.05, 1.05 / (luminance + 0.05)]
  return onBlack > onWhite ? { ink: 'black', ratio: onBlack } : { ink: 'white', ratio: onWhite }
}

/** Of one colour beside another: a button that cannot be told from what is behind it is none. */
export function contrastBetween(one: string, other: string): number {
  const [light = 1, dark = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at =>
    linear(Number.parseInt(colour.slice(at, at + 2), 16) / 255),
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function linear(part: number): number {
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
}
