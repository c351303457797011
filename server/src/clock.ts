// The service's clock: the machine's, plus an offset that the sandbox may move forward. The offset is in the database
// and shared by all processes; in live mode it is nothing.

import type { Database } from './store/database.ts'
import { readSetting } from './store/settings.ts'

export const clockChannel = 'tillbell_clock'
const settingName = 'clock_offset_ms'

export interface Clock {
  now(): Date
  /** What the sandbox has moved it by. */
  offsetMs(): number
  /** Reads the offset again. */
  refresh(): Promise<void>
}

export async function readOffsetMs(sql: Database): Promise<number> {
  return Number((await readSetting(sql, settingName)) ?? 0)
}

export async function openClock(sql: Database): Promise<Clock> {
  let offsetMs = await readOffsetMs(sql)
  return {
    now: () => new Date(Date.now() + offsetMs),
    offsetMs: () => offsetMs,
    async refresh() {
      // Of two that read at once, the one that read the earlier value may be heard later: time does not go back.
      offsetMs = Math.max(offsetMs, await readOffsetMs(sql))
    },
  }
}

/** Only forward: of two who move it at once, the later time wins. */
export async function moveClockTo(sql: Database, time: Date): Promise<void> {
  const offsetMs = time.getTime() - Date.now()
  await sql`insert into setting (name, value) values (${settingName}, ${sql.json(offsetMs)})
    on conflict (name) do update set value = to_jsonb(greatest((setting.value)::float8, excluded.value::float8))`
  await sql.notify(clockChannel)
}
