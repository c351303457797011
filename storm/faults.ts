// What is done to the house, and undone.

import { setTimeout as delay } from 'node:timers/promises'
import { connect } from '../server/src/store/database.ts'
import { spawnTillbell } from '../server/test/support/process.ts'
import type { Chance } from './chance.ts'
import type { House } from './house.ts'
import type { Line, LineState } from './line.ts'
import type { Merchant } from './merchant.ts'
import type { Fault, LineName, Planned } from './plan.ts'

export interface Storm {
  /** How often each kind of fault came. */
  readonly done: ReadonlyMap<string, number>
  /** Until the plan is over and all is undone. */
  blow(plan: readonly Planned[]): Promise<void>
}

export interface Weather {
  readonly house: House
  readonly merchant: Merchant
  readonly merchantId: string
  readonly chance: Chance
  /** Of one endpoint; false: it could not be asked for. */
  turnEndpoint(to: 'paused' | 'enabled'): Promise<boolean>
}

export function createStorm(weather: Weather): Storm {
  const { house } = weather
  const done = new Map<string, number>()
  const underWay = new Set<Promise<void>>()
  /** On how many accounts each line is not open: the last one to end opens it. */
  const bad = new Map<LineName, number>()

  async function turnFor(name: LineName, state: LineState, forMs: number): Promise<void> {
    const line = house.lines.get(name) as Line
    bad.set(name, (bad.get(name) ?? 0) + 1)
    line.turn(state)
    await delay(forMs)
    bad.set(name, (bad.get(name) ?? 0) - 1)
    if (bad.get(name) === 0) line.turn('open')
  }

  async function strike(fault: Fault): Promise<void> {
    switch (fault.kind) {
      case 'kill':
        return house.kill(fault.who, fault.forMs)
      case 'stop':
        return stopFor(house, fault.who, fault.forMs)
      case 'database':
        return fault.how === 'a backend is killed'
          ? killBackend(house)
          : house.signalDatabase(fault.how === 'at once' ? 'SIGQUIT' : 'SIGINT')
      case 'connections are cut':
        return void (await house.sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'tillbell%'`)
      case 'connections are taken':
        return takeConnections(house, fault.forMs)
      case 'cut':
        return house.lines.get(fault.line)?.cut()
      case 'close':
        return turnFor(fault.line, 'closed', fault.forMs)
      case 'silence':
        return turnFor(fault.line, 'silent', fault.forMs)
      case 'delay':
        return turnFor(fault.line, { lateMs: fault.byMs }, fault.forMs)
      case 'clock':
        await house.jump(fault.who, fault.byMs)
        await delay(fault.forMs)
        return house.jump(fault.who, 0)
      case 'leases expire':
        return expireLeases(house)
      case 'key is replaced':
        return replaceKey(weather)
      case 'endpoint is paused':
        if (!(await weather.turnEndpoint('paused'))) return
        await delay(fault.forMs)
        while (!(await weather.turnEndpoint('enabled'))) await delay(200)
    }
  }

  return {
    done,
    async blow(plan) {
      const beganMs = performance.now()
      for (const planned of plan) {
        await delay(Math.max(0, planned.atMs - (performance.now() - beganMs)))
        done.set(planned.kind, (done.get(planned.kind) ?? 0) + 1)
        // One that cannot be done, because the database is away just now, is not done.
        const struck = strike(planned).catch(() => {})
        underWay.add(struck)
        void struck.then(() => underWay.delete(struck))
      }
      await Promise.all(underWay)
      await house.settled()
    },
  }
}

async function stopFor(house: House, who: Extract<Fault, { kind: 'stop' }>['who'], forMs: number): Promise<void> {
  if (who === 'gateway') {
    house.stopGateway()
    await delay(forMs)
    return house.continueGateway()
  }
  const stopped = house.running(who)
  stopped?.child.kill('SIGSTOP')
  await delay(forMs)
  stopped?.child.kill('SIGCONT')
}

/** PostgreSQL then ends all others, and recovers from its log. */
async function killBackend({ sql }: House): Promise<void> {
  const [row] = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name like 'tillbell%' order by random() limit 1`
  if (row !== undefined) process.kill(row.pid, 'SIGKILL')
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
async function replaceKey({ house, merchant, merchantId }: Weather): Promise<void> {
  const made = await saidBy(['private-key', 'create', '--merchant', merchantId, '--json'], house.environment)
  if (made === null) return
  merchant.privateKeys.push(made.private_key)
  const words = ['private-key', 'make-current', made.key, '--merchant', merchantId, '--json']
  while ((await saidBy(words, house.environment)) === null) await delay(200)
}

async function saidBy(
  words: readonly string[],
  environment: { readonly [name: string]: string },
): Promise<({ readonly [name: string]: string } & { key: string; private_key: string }) | null> {
  const chunks: Buffer[] = []
  for await (const chunk of spawnTillbell(words, environment).stdout) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  return text.startsWith('{') ? JSON.parse(text) : null
}
