// The service's clock: the database's, so that all processes have the same one, whatever their machines take for the time; plus an offset that
// the sandbox may move forward, and that is in the database too. In live mode it is nothing.
//
// Between two looks at the database the machine's steady counter carries it on. So a time of day that is set, or jumps, changes nothing here.

import type { Database } from './store/database.ts'
import { readSetting } from './store/settings.ts'

export const clockChannel = 'tillbell_clock'
const settingName = 'clock_offset_ms'

export interface Clock {
  now(): Date
  /** Without what the sandbox has moved it by: for what others compare with their own clocks. */
  worldNow(): Date
  /** What the sandbox has moved it by. */
  offsetMs(): number
  /** Looks at the database's again. */
  refresh(): Promise<void>
}

/** The database's time at some moment between two of the counter, and the sandbox's offset. */
export interface Reading {
  readonly timeMs: number
  readonly fromMs: number
  readonly toMs: number
  readonly offsetMs: number
}

/** How much of the database's time is known after one reading depends on how long that took: the quickest of these counts. */
const firstReadings = 3

/** Less is what a slow reading and a counter that drifts can make. */
const wentBackMinMs = 5_000

export type WentBack = (byMs: number) => void

/** `wentBack` hears when the database's time has gone back between two looks by more than some seconds. */
export function openClock(sql: Database, wentBack: WentBack): Promise<Clock> {
  return createClock(() => readClock(sql), undefined, wentBack)
}

export async function createClock(
  read: () => Promise<Reading>,
  counterMs: () => number = () => performance.now(),
  wentBack: WentBack = () => {},
): Promise<Clock> {
  const readings: Reading[] = []
  while (readings.length < firstReadings) readings.push(await read())
  const quickest = readings.reduce((best, each) => (tookMs(each) < tookMs(best) ? each : best))
  let aheadMs = aheadBy(quickest)
  let offsetMs = Math.max(...readings.map(reading => reading.offsetMs))
  return {
    now: () => new Date(counterMs() + aheadMs + offsetMs),
    worldNow: () => new Date(counterMs() + aheadMs),
    offsetMs: () => offsetMs,
    async refresh() {
      const reading = await read()
      const before = aheadMs
      aheadMs = corrected(aheadMs, reading)
      if (before - aheadMs > wentBackMinMs) wentBack(before - aheadMs)
      // Of two that read at once, the one that read the earlier value may be heard later: time does not go back.
      offsetMs = Math.max(offsetMs, reading.offsetMs)
    },
  }
}

const tookMs = ({ fromMs, toMs }: Reading) => toMs - fromMs

/** The database's time less the counter, give or take half of what the reading took. */
function aheadBy({ timeMs, fromMs, toMs }: Reading): number {
  return timeMs - (fromMs + toMs) / 2
}

/** By no more than the reading proves it wrong: a slow one says little, and leaves alone what a quick one has said. */
function corrected(aheadMs: number, { timeMs, fromMs, toMs }: Reading): number {
  return Math.min(Math.max(aheadMs, timeMs - toMs), timeMs - fromMs)
}

async function readClock(sql: Database): Promise<Reading> {
  const fromMs = performance.now()
  const [row] = await sql<{ timeMs: number }[]>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as time_ms`
  const toMs = performance.now()
  if (row === undefined) throw new Error('the database did not say what time it is')
  return { timeMs: row.timeMs, fromMs, toMs, offsetMs: await readOffsetMs(sql) }
}

export async function readOffsetMs(sql: Database): Promise<number> {
  return Number((await readSetting(sql, settingName)) ?? 0)
}

/** Only forward: of two who move it at once, the later time wins. */
export async function moveClockTo(sql: Database, time: Date): Promise<void> {
  await sql`insert into setting (name, value)
    values (${settingName}, to_jsonb((extract(epoch from ${time}::timestamptz - clock_timestamp()) * 1000)::float8))
    on conflict (name) do update set value = to_jsonb(greatest((setting.value)::float8, excluded.value::float8))`
  await sql.notify(clockChannel)
}
