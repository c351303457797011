// A result as a picture: bars, as long as their figures, and below them whether the goals were met. Readable by day and by night.

import type { Bar, Result } from './result.ts'

const width = 760
const barHeight = 22
const gap = 10
const left = 250
const right = 90
const top = 48

export function draw({ title, bars, goals }: Pick<Result, 'title' | 'bars' | 'goals'>): string {
  const longest = Math.max(...bars.map(({ value }) => value))
  const rows = bars.map((bar, index) => drawBar(bar, top + index * (barHeight + gap), longest))
  const goalsTop = top + bars.length * (barHeight + gap) + 18
  const lines = goals.map(
    ({ goal, value, met }, index) =>
      `<text class="${met ? 'met' : 'missed'}" x="16" y="${goalsTop + index * 20}">${met ? '✓' : '✗'} ${escaped(goal)}: ${shown(value)}</text>`,
  )
  const height = goalsTop + goals.length * 20
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">
<style>
text { font: 14px system-ui, sans-serif; fill: #1c2024 }
.title { font-weight: 600; font-size: 16px }
.value { font-variant-numeric: tabular-nums }
.ours { fill: #0a7a3d }
.theirs { fill: #b9c2cc }
.limit { fill: none; stroke: #7d8894; stroke-dasharray: 4 3 }
.met { fill: #0a7a3d }
.missed { fill: #b3261e }
@media (prefers-color-scheme: dark) {
text { fill: #e6e9ec }
.ours { fill: #3fbf7f }
.theirs { fill: #4a535d }
.met { fill: #3fbf7f }
.missed { fill: #ff8a80 }
}
</style>
<text class="title" x="16" y="26">${escaped(title)}</text>
${rows.join('\n')}
${lines.join('\n')}
</svg>
`
}

function drawBar({ label, value, unit, kind }: Bar, y: number, longest: number): string {
  const length = Math.max(2, ((width - left - right) * value) / longest)
  const middle = y + barHeight / 2 + 5
  return (
    `<text x="${left - 12}" y="${middle}" text-anchor="end">${escaped(label)}</text>` +
    `<rect class="${kind}" x="${left}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" rx="3"/>` +
    `<text class="value" x="${(left + length + 8).toFixed(1)}" y="${middle}">${shown(value)}${unit === '' ? '' : ` ${escaped(unit)}`}</text>`
  )
}

function shown(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toFixed(2)))
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
