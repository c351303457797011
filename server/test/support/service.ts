// A whole service in the test's own process, listening on a real port, on a database of its own.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { readConfig } from '../../src/config.ts'
import type { Role } from '../../src/core/login.ts'
import { openFoundation } from '../../src/foundation.ts'
import { hashPassword, newPassword } from '../../src/keys/passwords.ts'
import { startService } from '../../src/main.ts'
import { type Logger, openLog } from '../../src/observe/log.ts'
import { ensureDemo } from '../../src/setup/demo.ts'
import { createMerchant } from '../../src/setup/merchant.ts'
import { Client } from './client.ts'
import { freshDatabase, type TestDatabase } from './database.ts'

export interface SignInPair {
  readonly email: string
  readonly password: string
}

export interface TestService {
  readonly baseUrl: string
  /** Where mail comes in. */
  readonly mailPort: number
  readonly database: TestDatabase
  readonly dataFolder: string
  /** The demo merchant's client, with its offer and card. */
  readonly demo: Client & { readonly offer: string; readonly card: string }
  readonly demoSheet: {
    readonly [name: string]: unknown
    readonly merchant: string
    readonly private_key: string
    readonly dashboard: SignInPair & { readonly url: string }
  }
  /** A merchant of its own. */
  newMerchant(): Promise<Client & { readonly merchant: string; readonly login: SignInPair }>
  /** Somebody else of that merchant's. */
  newLogin(merchant: string, role: Role, email?: string): Promise<SignInPair>
  logged(): string
  /** What was logged so far is of no interest, and would be much. */
  forgetLogged(): void
  /** Ends the service and starts it again, at the same address on the same database. */
  restart(): Promise<void>
  stop(): Promise<void>
}

async function serve(settings: { readonly [name: string]: string }, log: Logger, jumpMs: () => number) {
  const opened = await openFoundation(readConfig(settings), 'owner', log)
  const now = () => new Date(opened.clock.now().getTime() + jumpMs())
  const foundation = { ...opened, clock: { ...opened.clock, now } }
  return { foundation, service: await startService(foundation, log) }
}

/** `jumpMs`: by how much the database's time of day is wrong at the moment. */
export async function startTestService(
  environment: { readonly [name: string]: string } = {},
  jumpMs: () => number = () => 0,
): Promise<TestService> {
  const database = await freshDatabase()
  const dataFolder = await mkdtemp(join(tmpdir(), 'tillbell-data-'))
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const ports = { TILLBELL_PORT: '0', TILLBELL_METRICS_PORT: '0', TILLBELL_MAIL_PORT: '0' }
  const settings = { ...ports, TILLBELL_DATA: dataFolder, DATABASE_URL: database.url, ...environment }
  const log = openLog('debug', sink)
  let { foundation, service } = await serve(settings, log, jumpMs)
  const sheet = await ensureDemo(foundation, service)
  if (sheet === null || sheet.offer === null || sheet.card === null) throw new Error('no demo')
  return {
    baseUrl: service.baseUrl,
    mailPort: service.mailPort ?? 0,
    database,
    dataFolder,
    demo: Object.assign(new Client(service.baseUrl, sheet.api_key, sheet.api_secret), {
      offer: sheet.offer,
      card: sheet.card,
    }),
    demoSheet: JSON.parse(await readFile(join(dataFolder, 'demo.json'), 'utf8')),
    async newMerchant() {
      const { sql, sealer, clock, newUuid, config } = foundation
      const world = { sql, sealer, mode: config.mode, now: clock.now, newUuid }
      const made = await createMerchant(world, { name: 'Another', email: `${newUuid()}@example.com` })
      const { merchant, dashboard: login } = made
      return Object.assign(new Client(service.baseUrl, made.api_key, made.api_secret), { merchant, login })
    },
    async newLogin(merchant, role, email = `${role}-${foundation.newUuid()}@example.com`) {
      const pair = { email, password: newPassword() }
      const passwordHash = await hashPassword(pair.password)
      const { sql } = database
      await sql`insert into login (merchant_id, email, password_hash, role, created_at)
        values (${merchant}, ${pair.email}, ${passwordHash}, ${role}, now())`
      await sql`insert into directory (kind, key, merchant_id) values ('login', ${pair.email}, ${merchant})`
      return pair
    },
    logged: () => lines.join(''),
    forgetLogged: () => void lines.splice(0),
    async restart() {
      await service.stop()
      await foundation.close()
      const running = await serve({ ...settings, TILLBELL_PORT: new URL(service.baseUrl).port }, log, jumpMs)
      foundation = running.foundation
      service = running.service
    },
    async stop() {
      await service.stop()
      await foundation.close()
      await database.drop()
      await rm(dataFolder, { recursive: true, force: true })
    },
  }
}
