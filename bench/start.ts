// How long the service takes to be there, on an empty folder and on one that it knows, and what it holds of the machine's memory:
// its own process alone, without PostgreSQL.

import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServiceProcess, spawnService } from '../server/test/support/process.ts'
import { quantile, type Result } from './result.ts'
import { openWorld, payAtRate } from './world.ts'

const warmStarts = 5
const idleForMs = 5_000
const [perSecond, seconds] = [150, 20]

export async function start(): Promise<Result> {
  const { coldMs, warmMs, idleMb } = await starts()
  const loadedMb = await memoryUnderLoad()
  const warm = quantile(warmMs, 0.5)
  return {
    name: 'start',
    title: 'Memory of the service',
    bars: [
      { label: 'idle', value: idleMb, unit: 'MB', kind: 'ours' },
      { label: 'under load, at most', value: loadedMb, unit: 'MB', kind: 'ours' },
    ],
    settings: { warmStarts, idleForMs, perSecond, seconds },
    rows: [
      { what: 'cold start, with a new database', value: Math.round(coldMs), unit: 'ms' },
      { what: 'warm start', value: Math.round(warm), unit: 'ms' },
      { what: 'slowest warm start', value: Math.round(Math.max(...warmMs)), unit: 'ms' },
      { what: 'memory, idle', value: idleMb, unit: 'MB' },
      { what: 'memory, under load, at most', value: loadedMb, unit: 'MB' },
    ],
    goals: [
      { goal: 'warm start ≤ 2 s', value: warm / 1_000, met: warm <= 2_000 },
      { goal: 'memory idle ≤ 150 MB', value: idleMb, met: idleMb <= 150 },
      { goal: 'memory loaded ≤ 300 MB', value: loadedMb, met: loadedMb <= 300 },
    ],
  }
}

/** With the embedded PostgreSQL, which starts and stops with it. */
async function starts() {
  const folder = await mkdtemp(join(tmpdir(), 'tillbell-bench-'))
  await chmod(folder, 0o711)
  const open = async () => {
    const beganMs = performance.now()
    const service = await spawnService({ TILLBELL_DATA: folder })
    return { service, tookMs: performance.now() - beganMs }
  }
  try {
    const cold = await open()
    await cold.service.kill('SIGTERM')
    const warmMs: number[] = []
    for (let index = 0; index < warmStarts; index++) {
      const { service, tookMs } = await open()
      warmMs.push(tookMs)
      await service.kill('SIGTERM')
    }
    const { service } = await open()
    await new Promise(resolve => setTimeout(resolve, idleForMs))
    const idleMb = await residentMb(service)
    await service.kill('SIGTERM')
    return { coldMs: cold.tookMs, warmMs, idleMb }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function memoryUnderLoad(): Promise<number> {
  const world = await openWorld()
  let mostMb = 0
  const watch = setInterval(async () => {
    mostMb = Math.max(mostMb, await residentMb(world.service))
  }, 200)
  try {
    await world.addEndpoint('transaction', world.receiver.url)
    await payAtRate(world, perSecond, seconds)
    return mostMb
  } finally {
    clearInterval(watch)
    await world.close()
  }
}

async function residentMb({ pid }: ServiceProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+([0-9]+)/.exec(status)?.[1] ?? Number.NaN) / 1_024)
}
