// When the storm is over: whoever was in it must be well again, and time passes as quickly as the service can follow until nothing is
// owed any more. The service does all of it: the storm only moves the sandbox's clock. What does not come to its end is a finding.

import { moveClockTo, readOffsetMs } from '../server/src/clock.ts'
import type { ServiceProcess } from '../server/test/support/process.ts'
import { until } from '../server/test/support/until.ts'
import { type House, lastOf } from './house.ts'

const withinMs = 60_000

/** Each process answers, and every worker's heart beats. */
export async function wellFindings(house: House): Promise<string[]> {
  const silent = await Promise.all(house.services().map(([name, service]) => readyFindings(name, service)))
  const beats = async () =>
    (await house.sql<{ id: string; beats: bigint }[]>`select id, beats from worker`).map(
      ({ id, beats }) => `${id} ${beats}`,
    )
  const isThere = () =>
    beats().then(
      () => true,
      () => false,
    )
  const away = await isOver('the database answers', isThere)
  if (away.length > 0) return [...silent.flat(), ...away]
  const before = await beats()
  const beating = await isOver('two workers beat', async () => {
    const now = await beats()
    return now.filter(each => !before.includes(each)).length >= 2
  })
  return [...silent.flat(), ...beating]
}

async function readyFindings(name: string, service: ServiceProcess): Promise<string[]> {
  let heard = ''
  const ask = async () => {
    const answer = await fetch(new URL('/readyz', service.baseUrl), { signal: AbortSignal.timeout(5_000) })
    heard = `${answer.status} ${await answer.text()}`
    return answer.status === 200
  }
  const isWell = () =>
    ask().catch(error => {
      heard = String(error)
      return false
    })
  const findings = await isOver(`${name} is ready`, isWell)
  return findings.map(finding => `${finding}: ${heard}, and its log ends with ${lastOf(service)}`)
}

/** Minutes pass, but fewer than keys are remembered for. */
export async function settleMoney({ sql }: House): Promise<string[]> {
  const isSettled = async () => {
    const open = await sql`select from transaction where status = 'Processing'
      union all select from operation where outcome in ('pending', 'unknown')
      union all select from letter where state = 'waiting'
      union all select from outgoing_mail where state = 'waiting' limit 1`
    return open.length === 0
  }
  for (let minutes = 0; minutes < 12 * 60; minutes += 15) {
    if ((await isOver('', isSettled, 2_000)).length === 0) return []
    await passTime(sql, 15 * 60_000)
  }
  return isOver('what was under way came to its end', isSettled)
}

/**
 * From each attempt to the one that is due last, until all are made: the schedule has ten. An endpoint that always fails is given few
 * attempts at a time, so thousands of deliveries to it take minutes.
 */
export async function settleHooks({ sql }: House, tell: (line: string) => void): Promise<string[]> {
  for (;;) {
    const [next] = await sql<{ due: Date | null; owed: number }[]>`
      select max(due_at) as due, count(*)::int as owed from owed_delivery where state = 'pending'`
    if (!next?.due) return []
    const { due, owed } = next
    tell(`${owed} deliveries are owed, the last attempt is due at ${due.toISOString()}.`)
    await moveClockTo(sql, due)
    const findings = await isOver(
      `workers took up what was due at ${due.toISOString()}`,
      async () =>
        (await sql`select from owed_delivery where state = 'pending' and due_at <= ${due} limit 1`).length === 0,
      10 * withinMs,
    )
    if (findings.length > 0) return findings
  }
}

async function passTime(sql: House['sql'], byMs: number): Promise<void> {
  await moveClockTo(sql, new Date(Date.now() + (await readOffsetMs(sql)) + byMs))
}

async function isOver(what: string, isTrue: () => Promise<boolean>, ms = withinMs): Promise<string[]> {
  return until(what, isTrue, ms, 200).then(
    () => [],
    error => [String(error.message)],
  )
}
