// What stands on what in the dashboard can be read, by day and by night.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const css = readFileSync(new URL('theme.css', import.meta.url), 'utf8')
const grounds = ['page', 'surface', 'raised', 'sunken', 'hover']

const texts: readonly (readonly [string, readonly string[]])[] = [
  ['ink', [...grounds, 'accent-wash']],
  ['soft', grounds],
  ['accent', ['page', 'surface', 'raised', 'accent-wash']],
  ['on-button', ['button', 'button-hover', 'danger', 'danger-hover']],
  ...['good', 'bad', 'waits', 'note'].map(tone => [tone, ['page', 'surface', 'raised', `${tone}-wash`]] as const),
]
const edges: readonly (readonly [string, readonly string[]])[] = [
  ['edge', ['page', 'surface', 'raised']],
  ['accent', grounds],
]

function colour(name: string, theme: 0 | 1): string {
  const [, value = ''] = new RegExp(`--color-${name}: ([^;]+);`).exec(css) ?? []
  const found = value.match(/#[0-9a-f]{6}/g) ?? []
  const hex = found[theme] ?? found[0]
  assert.ok(hex !== undefined, `theme.css has ${name}`)
  return hex
}

function brightness(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(a: string, b: string): number {
  const [dark = 0, bright = 0] = [brightness(a), brightness(b)].sort((one, other) => one - other)
  return (bright + 0.05) / (dark + 0.05)
}

function tooFaint(pairs: typeof texts, least: number): string[] {
  return pairs.flatMap(([front, behind]) =>
    behind.flatMap(ground =>
      ([0, 1] as const).flatMap(theme => {
        const measured = contrast(colour(front, theme), colour(ground, theme))
        return measured < least ? [`${front} on ${ground}, ${['light', 'dark'][theme]}: ${measured.toFixed(2)}`] : []
      }),
    ),
  )
}

test('every text stands out from its ground', () => {
  assert.deepEqual(tooFaint(texts, 4.5), [])
})

test('every edge of a field and every focus ring can be seen', () => {
  assert.deepEqual(tooFaint(edges, 3), [])
})
