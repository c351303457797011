import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inkOn } from './look.ts'

test('ink on any colour has the contrast that WCAG asks of text', () => {
  for (let red = 0; red < 256; red += 15)
    for (let green = 0; green < 256; green += 15)
      for (let blue = 0; blue < 256; blue += 15) {
        const color = `#${[red, green, blue].map(part => part.toString(16).padStart(2, '0')).join('')}`
        assert.ok(contrast(color, inkOn(color)) >= 4.5, color)
      }
})

test('black is on bright colours and white on dark ones', () => {
  assert.deepEqual(['#ffffff', '#ffee00', '#00ff00'].map(inkOn), ['#000000', '#000000', '#000000'])
  assert.deepEqual(['#000000', '#21618c', '#0000ff'].map(inkOn), ['#ffffff', '#ffffff', '#ffffff'])
})

/** Written apart from what is tested, after the same definition. */
function contrast(one: string, other: string): number {
  const lights = [one, other].map(color => {
    const [red = 0, green = 0, blue = 0] = [...Buffer.from(color.slice(1), 'hex')].map(byte => {
      const part = byte / 255
      return part > 0.03928 ? ((part + 0.055) / 1.055) ** 2.4 : part / 12.92
    })
    return red * 0.2126 + green * 0.7152 + blue * 0.0722 + 0.05
  })
  return Math.max(...lights) / Math.min(...lights)
}
