// What is done to the house, and undone.

import { setTimeout as delay } from 'node:timers/promises'
import { moveClockTo, readOffsetMs } from '../server/src/clock.ts'
import { connect } from '../server/src/store/database.ts'
import { expireLeases } from '../server/test/support/leases.ts'
import { command } from './command.ts'
import type { House } from './house.ts'
import type { Line, LineState } from './line.ts'
import type { Merchant } from './merchant.ts'
import type { Fault, LineName, Planned, WorkerName } from './plan.ts'

export interface Storm {
  /** How often each kind of fault was done: one that finds nobody there, or the database away, is not. */
  readonly done: ReadonlyMap<string, number>
  /** Until the plan is over and all is undone. */
  blow(plan: readonly Planned[]): Promise<void>
}

export interface Struck {
  readonly house: House
  readonly merchant: Merchant
  readonly merchantId: string
  /** Of one endpoint; false: it could not be asked for. */
  turnEndpoint(to: 'paused' | 'enabled'): Promise<boolean>
}

export function createStorm(struck: Struck): Storm {
  const done = new Map<string, number>()
  const underWay = new Set<Promise<void>>()
  const strike = striker(struck)

  /** Most faults need somebody who may have been struck by another one just now. */
  async function strikeAndCount(fault: Fault): Promise<void> {
    const isDone = await strike(fault).catch(() => false)
    if (isDone) done.set(fault.kind, (done.get(fault.kind) ?? 0) + 1)
  }

  return {
    done,
    async blow(plan) {
      const beganMs = performance.now()
      for (const planned of plan) {
        await delay(Math.max(0, planned.atMs - (performance.now() - beganMs)))
        const struckOnce = strikeAndCount(planned)
        underWay.add(struckOnce)
        void struckOnce.then(() => underWay.delete(struckOnce))
      }
      await Promise.all(underWay)
      await struck.house.settled()
    },
  }
}

/** Says whether it was done. */
function striker(struck: Struck): (fault: Fault) => Promise<boolean> {
  const { house } = struck
  const turnFor = lineTurner(house)
  return async fault => {
    switch (fault.kind) {
      case 'kill':
        return house.kill(fault.who, fault.forMs)
      case 'stop':
        return stopFor(house, fault.who, fault.forMs)
      case 'taken for dead':
        return takeForDead(house, fault.who, fault.forMs)
      case 'database':
        if (fault.how === 'a backend is killed') return killBackend(house)
        return house.signalDatabase(fault.how === 'at once' ? 'SIGQUIT' : 'SIGINT')
      case 'connections are cut':
        return endConnections(house)
      case 'connections are taken':
        return takeConnections(house, fault.forMs)
      case 'cut':
        house.line(fault.line).cut()
        return true
      case 'close':
        return turnFor(fault.line, 'closed', fault.forMs)
      case 'silence':
        return turnFor(fault.line, 'silent', fault.forMs)
      case 'answers are lost':
        return turnFor(fault.line, 'deaf', fault.forMs)
      case 'delay':
        return turnFor(fault.line, { lateMs: fault.byMs }, fault.forMs)
      case 'clock':
        return house.jump(fault.who, fault.byMs, fault.forMs)
      case 'leases expire':
        await expireLeases(house.sql)
        return true
      case 'time passes':
        return passTime(house, fault.byMs)
      case 'key is replaced':
        return replaceKey(struck)
      case 'endpoint is paused':
        return pauseFor(struck, fault.forMs)
    }
  }
}

function lineTurner(house: House) {
  /** On how many accounts each line is not open: the last one to end opens it. */
  const troubles = new Map<LineName, number>()
  return async (name: LineName, state: LineState, forMs: number): Promise<boolean> => {
    const line: Line = house.line(name)
    troubles.set(name, (troubles.get(name) ?? 0) + 1)
    line.turn(state)
    await delay(forMs)
    troubles.set(name, (troubles.get(name) ?? 0) - 1)
    if (troubles.get(name) === 0) line.turn('open')
    return true
  }
}

async function stopFor(house: House, who: Extract<Fault, { kind: 'stop' }>['who'], forMs: number): Promise<boolean> {
  const isStopped = house.signal(who, 'SIGSTOP')
  await delay(forMs)
  house.signal(who, 'SIGCONT')
  return isStopped
}

async function takeForDead(house: House, who: WorkerName, forMs: number): Promise<boolean> {
  if (!house.signal(who, 'SIGSTOP')) return false
  try {
    // Which of them is whose is in no table: the other one notices that it is missing, and comes back under another name.
    await house.sql`delete from worker`
    await delay(forMs)
  } finally {
    house.signal(who, 'SIGCONT')
  }
  return true
}

async function endConnections({ sql }: House): Promise<boolean> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'tillbell%'`
  return true
}

/** PostgreSQL then ends all others, and recovers from its log. */
async function killBackend({ sql }: House): Promise<boolean> {
  const [row] = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name like 'tillbell%' order by random() limit 1`
  if (row !== undefined) process.kill(row.pid, 'SIGKILL')
  return row !== undefined
}

/** Those that we have are ended then: whoever wants one must wait for its turn. */
async function takeConnections(house: House, forMs: number): Promise<boolean> {
  const taking = connect({ address: house.environment.DATABASE_URL ?? '', connectionsMax: 190, name: 'greedy' })
  const sleep = async () => taking`select pg_sleep(${forMs / 1_000})`
  const taken = Promise.allSettled(Array.from({ length: 190 }, sleep))
  await endConnections(house).catch(() => {})
  await taken
  await taking.end()
  return true
}

/** In all less than a third of what keys are remembered for. */
const passesMaxMs = 8 * 3_600_000

async function passTime({ sql }: House, byMs: number): Promise<boolean> {
  const offsetMs = await readOffsetMs(sql)
  if (offsetMs + byMs > passesMaxMs) return false
  await moveClockTo(sql, new Date(Date.now() + offsetMs + byMs))
  return true
}

/** Resumed whatever was heard: it may be paused, and the answer lost. */
async function pauseFor({ turnEndpoint }: Struck, forMs: number): Promise<boolean> {
  const isHeard = await turnEndpoint('paused')
  await delay(forMs)
  while (!(await turnEndpoint('enabled'))) await delay(200)
  return isHeard
}

/** The merchant knows the next key before it signs: as it is told to do. */
async function replaceKey({ house, merchant, merchantId }: Struck): Promise<boolean> {
  const at = ['--merchant', merchantId, '--json']
  const { code, printed } = await command(['private-key', 'create', ...at], house.environment)
  if (code !== 0) return false
  const { key, private_key: privateKey } = JSON.parse(printed)
  merchant.learnKey(key, privateKey)
  while ((await command(['private-key', 'make-current', key, ...at], house.environment)).code !== 0) await delay(200)
  return true
}
