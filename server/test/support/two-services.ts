// Two processes on one database, restarted one after the other with other secret keys, while a shop goes on selling at both.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { clientOf, demoSheet, type Sheet } from './command.ts'
import { freePort } from './free-port.ts'
import { type ServiceProcess, spawnService } from './process.ts'
import { until } from './until.ts'

export interface TwoServices {
  readonly sheet: Sheet
  readonly baseUrls: readonly string[]
  /** What a command is given to reach the same database, with these keys. */
  with(keys: string): { [name: string]: string }
  mailPort(): number
  /** One of them, stopped politely and started again. */
  restart(index: number, keys: string): Promise<void>
  stop(): Promise<void>
}

export async function startTwo(databaseUrl: string, keys: string): Promise<TwoServices> {
  const folder = await mkdtemp(join(tmpdir(), 'tillbell-two-'))
  const ports = [await freePort(), await freePort()]
  const environmentOf = (index: number, secretKeys: string) => ({
    DATABASE_URL: databaseUrl,
    TILLBELL_DATA: folder,
    TILLBELL_PORT: `${ports[index]}`,
    TILLBELL_SECRET_KEY: secretKeys,
  })
  const start = (index: number, secretKeys: string) => spawnService(environmentOf(index, secretKeys))
  const running: ServiceProcess[] = [await start(0, keys)]
  // It is made after the start, and the other would make its own.
  await until('the demo is there', async () => (await demoSheet(folder).catch(() => null)) !== null)
  running.push(await start(1, keys))
  return {
    sheet: await demoSheet(folder),
    baseUrls: ports.map(port => `http://127.0.0.1:${port}`),
    with: secretKeys => ({ ...environmentOf(0, secretKeys), TILLBELL_LOG: 'error' }),
    mailPort: () => running[0]?.mailPort ?? 0,
    async restart(index, secretKeys) {
      await running[index]?.kill('SIGTERM')
      running[index] = await start(index, secretKeys)
    },
    async stop() {
      await Promise.all(running.map(service => service.kill()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Sells without a break at whichever process answers, each sale under one key, and holds that every one is paid. */
export function sellMeanwhile({ sheet, baseUrls }: TwoServices) {
  const clients = baseUrls.map(url => clientOf(sheet, url))
  const sold: string[] = []
  let isOver = false
  const sell = async () => {
    const key = randomUUID()
    for (let tries = 0; tries < 200; tries++) {
      const client = clients[(sold.length + tries) % clients.length] ?? assert.fail()
      const answer = await client.charge(sheet.offer, sheet.card, { key }).catch(() => null)
      if (answer?.status === 200) return sold.push(answer.json.transaction.id)
      // The one was just restarted, or the first of two tries is still under way.
      assert.ok(answer === null || [409, 503].includes(answer.status), answer?.text)
      await delay(50)
    }
    return assert.fail('neither of the two sells')
  }
  const over = (async () => {
    while (!isOver) await sell()
  })()
  return {
    /** What was sold. */
    async end(): Promise<readonly string[]> {
      isOver = true
      await over
      return sold
    },
    over,
  }
}
