// What is done to the house, and undone.

import { setTimeout as delay } from 'node:timers/promises'
import { connect } from '../server/src/store/database.ts'
import { command } from './command.ts'
import type { House } from './house.ts'
import type { Line, LineState } from './line.ts'
import type { Merchant } from './merchant.ts'
import type { Fault, LineName, Planned } from './plan.ts'

export interface Storm {
  /** How often each kind of fault was done: one that finds nobody there, or the database away, is not. */
  readonly done: ReadonlyMap<string, number>
  /** Until the plan is over and all is undone. */
  blow(plan: readonly Planned[]): Promise<void>
}

export interface Weather {
  readonly house: House
  readonly merchant: Merchant
  readonly merchantId: string
  /** Of one endpoint; false: it could not be asked for. */
  turnEndpoint(to: 'paused' | 'enabled'): Promise<boolean>
}

export function createStorm(weather: Weather): Storm {
  const { house } = weather
  const done = new Map<string, number>()
  const underWay = new Set<Promise<void>>()
  /** On how many accounts each line is not open: the last one to end opens it. */
  const bad = new Map<LineName, number>()

  async function turnFor(name: LineName, state: LineState, forMs: number): Promise<boolean> {
    const line = house.lines.get(name) as Line
    bad.set(name, (bad.get(name) ?? 0) + 1)
    line.turn(state)
    await delay(forMs)
    bad.set(name, (bad.get(name) ?? 0) - 1)
    if (bad.get(name) === 0) line.turn('open')
    return true
  }

  /** Whether it was done. */
  async function strike(fault: Fault): Promise<boolean> {
    switch (fault.kind) {
      case 'kill':
        return house.kill(fault.who, fault.forMs)
      case 'stop':
        return stopFor(house, fault.who, fault.forMs)
      case 'database':
        if (fault.how === 'a backend is killed') return killBackend(house)
        await house.signalDatabase(fault.how === 'at once' ? 'SIGQUIT' : 'SIGINT')
        return true
      case 'connections are cut':
        await house.sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'tillbell%'`
        return true
      case 'connections are taken':
        await takeConnections(house, fault.forMs)
        return true
      case 'cut':
        house.lines.get(fault.line)?.cut()
        return true
      case 'close':
        return turnFor(fault.line, 'closed', fault.forMs)
      case 'silence':
        return turnFor(fault.line, 'silent', fault.forMs)
      case 'delay':
        return turnFor(fault.line, { lateMs: fault.byMs }, fault.forMs)
      case 'clock':
        await house.jump(fault.who, fault.byMs)
        await delay(fault.forMs)
        await house.jump(fault.who, 0)
        return true
      case 'leases expire':
        await expireLeases(house)
        return true
      case 'key is replaced':
        return replaceKey(weather)
      case 'endpoint is paused':
        return pauseFor(weather, fault.forMs)
    }
  }

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
        const struck = strikeAndCount(planned)
        underWay.add(struck)
        void struck.then(() => underWay.delete(struck))
      }
      await Promise.all(underWay)
      await house.settled()
    },
  }
}

/** Resumed whatever was heard: it may be paused, and the answer lost. */
async function pauseFor({ turnEndpoint }: Weather, forMs: number): Promise<boolean> {
  const isHeard = await turnEndpoint('paused')
  await delay(forMs)
  while (!(await turnEndpoint('enabled'))) await delay(200)
  return isHeard
}

async function stopFor(house: House, who: Extract<Fault, { kind: 'stop' }>['who'], forMs: number): Promise<boolean> {
  if (who === 'gateway') {
    house.stopGateway()
    await delay(forMs)
    house.continueGateway()
    return true
  }
  const stopped = house.running(who)
  stopped?.child.kill('SIGSTOP')
  await delay(forMs)
  stopped?.child.kill('SIGCONT')
  return stopped !== null
}

/** PostgreSQL then ends all others, and recovers from its log. */
async function killBackend({ sql }: House): Promise<boolean> {
  const [row] = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name like 'tillbell%' order by random() limit 1`
  if (row !== undefined) process.kill(row.pid, 'SIGKILL')
  return row !== undefined
}

async function takeConnections({ environment }: House, forMs: number): Promise<void> {
  const taking = connect({ address: environment.DATABASE_URL ?? '', connectionsMax: 190, name: 'greedy' })
  const taken = Array.from({ length: 190 }, async () => taking`select pg_sleep(${forMs / 1_000})`)
  await Promise.allSettled(taken)
  await taking.end()
}

/** What time does, without the wait. */
async function expireLeases({ sql }: House): Promise<void> {
  await sql`update transaction set lease_until = now() where lease_until is not null`
  await sql`update operation set lease_until = now() where outcome in ('pending', 'unknown')`
  await sql`delete from worker where random() < 0.3`
}

/** The merchant knows the next key before it signs: as it is told to do. */
async function replaceKey({ house, merchant, merchantId }: Weather): Promise<boolean> {
  const at = ['--merchant', merchantId, '--json']
  const { code, printed } = await command(['private-key', 'create', ...at], house.environment)
  if (code !== 0) return false
  const { key, private_key: privateKey } = JSON.parse(printed)
  merchant.privateKeys.push(privateKey)
  while ((await command(['private-key', 'make-current', key, ...at], house.environment)).code !== 0) await delay(200)
  return true
}
