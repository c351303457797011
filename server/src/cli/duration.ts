// How a time is written at the command line: 90s, 5m, 28.45h, 7d.

const unitMs: { readonly [unit: string]: number } = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Null: it is none, or not more than nothing. */
export function durationMs(text: string): number | null {
  const [, number = '', unit = ''] = /^([0-9]+(?:\.[0-9]+)?)([smhd])$/.exec(text) ?? []
  const ms = Math.round(Number(number) * (unitMs[unit] ?? 0))
  return ms > 0 ? ms : null
}
