// The composition root: builds every part, joins them, starts and stops. Neighbouring rooms meet only here.

import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createSecureContext } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import { createApiServer } from './api/server.ts'
import { keepBaseUrl, ownBaseUrl } from './base-url.ts'
import { clockChannel } from './clock.ts'
import { type Config, ConfigError } from './config.ts'
import { recordRestChanges } from './console/record-changes.ts'
import { amountAsNumber } from './core/money.ts'
import type { Foundation } from './foundation.ts'
import { apiPorts } from './join-api.ts'
import { changePorts, dashboard } from './join-console.ts'
import type { Joined } from './join-core.ts'
import { joinDoors } from './join-doors.ts'
import { deliveriesChannel } from './join-hooks.ts'
import { letterWorker } from './join-letters.ts'
import { joinMail } from './join-mail.ts'
import { joinMailIn } from './join-mail-in.ts'
import { gatewayNotices } from './join-notices.ts'
import { nothingHere, pages, servesPages } from './join-pages.ts'
import { readiness } from './join-readiness.ts'
import { clockMover, join } from './join-work.ts'
import { reachedMailDomain } from './mail-domain.ts'
import type { Logger } from './observe/log.ts'
import { type Metrics, metricsServer, openMetrics } from './observe/metrics.ts'
import { sparingly } from './observe/sparingly.ts'
import { countHooks } from './store/hook-counts.ts'
import { endListenersOfPreSale } from './store/hook-listeners.ts'
import { lettersChannel } from './store/letters.ts'
import { mailsChannel, oldestMailOwed } from './store/outgoing-mails.ts'
import { countDoubt } from './store/sweeping.ts'

export interface Service {
  readonly baseUrl: string
  /** Where this very process listens. */
  readonly ownUrl: string
  /** Where mail comes in; null: not here. */
  readonly mailPort: number | null
  readonly joined: Joined
  /** Finishes what is in flight, then ends. */
  stop(): Promise<void>
}

const readAgainMs = 500
/** Of the clock: two machines' go apart by a second in a day or so, and the database's may be set. */
const readEveryMs = 10_000

export async function startService(foundation: Foundation, log: Logger): Promise<Service> {
  const { config, sql, clock } = foundation
  const metrics = openMetrics()
  const service = { mode: config.mode, baseUrl: config.baseUrl ?? '' }
  if (config.mode === 'live') await endListenersOfPreSale(sql, clock.now())
  const { doors, connections, measure, isAwaited } = joinDoors(config, log, metrics.load)
  const joined = join(foundation, log, metrics, service, isAwaited)
  const { sweeper, deliverer } = joined
  const mail = await joinMail(foundation, log, metrics, service, deliverer.holder)
  const underWay = new Set<Promise<unknown>>()
  const finish = <T>(work: Promise<T>): Promise<T> => {
    underWay.add(work)
    return work.finally(() => underWay.delete(work))
  }
  const later = (work: () => Promise<unknown>) =>
    void finish(work().catch(error => log.error({ err: error }, 'what follows an answer failed')))
  const letters = letterWorker(foundation, log, joined)
  const mailIn = joinMailIn(foundation, log, metrics)
  const mover = config.mode === 'live' ? null : clockMover(foundation, joined, letters.doDue, mail.outbox.sendDue)
  const whyNotReady = readiness(foundation, log)
  const ports = apiPorts(foundation, log, metrics, joined, finish, mover, whyNotReady)
  const tls = await readTls(config, log)
  const app = await createApiServer(ports, {
    log,
    tls,
    trustedProxies: config.trustedProxies,
    serves: { rest: config.roles.includes('api') },
    recordChanges: rest => recordRestChanges(rest, changePorts(foundation)),
    notices: gatewayNotices(foundation, log, metrics, joined),
    pages: servesPages(config) ? pages(foundation, joined, finish, mail.post) : null,
    console: servesPages(config) ? dashboard(foundation, joined, { post: mail.post, later }) : null,
    nothingHere: servesPages(config) ? nothingHere(foundation, joined) : null,
    mailIn: mailIn.route,
    doors,
    connections,
    worksFor: foundation.sql.worksFor,
    newRequestId: foundation.newUuid,
  })
  const refresh = sparingly(() => refreshGauges(metrics, foundation))
  const measuring = metricsServer(metrics, () => {
    measure()
    return refresh()
  })
  let again: NodeJS.Timeout | undefined
  let isOver = false
  try {
    const port = await listenOn(app, config.host, config.port, 'TILLBELL_PORT')
    service.baseUrl ||= ownBaseUrl(config, port)
    // For commands, which write hooks and records on the service's behalf.
    await keepBaseUrl(foundation, service.baseUrl)
    const metricsPort = await listenForMetrics(measuring, config)
    const mailPort = await mailIn.listen(tls, error =>
      listenProblem(error, config.host, config.mailPort, 'TILLBELL_MAIL_PORT'),
    )
    joined.listensOn({ main: port, metrics: metricsPort, mail: mailPort })
    const refreshClock = async (): Promise<void> => {
      clearTimeout(again)
      const isRead = await Promise.all([clock.refresh(), whyNotReady()]).then(
        () => true,
        error => log.error({ err: error }, 'clock'),
      )
      // Where it was not read, its connection was cut off with the one that listens: the next one is new.
      if (!isOver) again = setTimeout(refreshClock, isRead === true ? readEveryMs : readAgainMs).unref()
    }
    // Also whenever it listens anew: what was said while the connection was lost is not said again.
    const listening = await sql.listen(clockChannel, refreshClock, refreshClock)
    const isWorker = config.roles.includes('worker')
    const wakings = isWorker
      ? await Promise.all([
          sql.listen(deliveriesChannel, deliverer.wake, deliverer.wake),
          sql.listen(lettersChannel, letters.wake, letters.wake),
          sql.listen(mailsChannel, mail.outbox.wake, mail.outbox.wake),
        ])
      : []
    if (isWorker) {
      // First, because it alone can fail: what has begun would keep a process going that does not serve.
      await deliverer.start()
      sweeper.start()
      letters.start()
      mail.start()
    }
    if (reachedMailDomain(config) === null)
      log.warn('TILLBELL_MAIL_DOMAIN is localhost: no customer’s mail comes here, and offers have no mail_to')
    const { mode, roles } = config
    log.info({ baseUrl: service.baseUrl, port, metricsPort, mailPort, mode, roles }, 'started')
    return {
      baseUrl: service.baseUrl,
      ownUrl: ownBaseUrl(config, port),
      mailPort,
      joined,
      async stop() {
        joined.beginToStop()
        await Promise.all([app.close(), mailIn.close()])
        await mailIn.endThreads()
        await Promise.allSettled(underWay)
        await sweeper.stop()
        await Promise.all(wakings.map(waking => waking.unlisten()))
        // Letters and mails are held in the name of the deliverer's worker.
        await letters.stop()
        await mail.stop()
        await deliverer.stop()
        measuring.close()
        measuring.closeAllConnections()
        await listening.unlisten()
        isOver = true
        clearTimeout(again)
        log.info('stopped')
      },
    }
  } catch (error) {
    isOver = true
    clearTimeout(again)
    await Promise.all([app.close(), mailIn.close()])
    await mailIn.endThreads()
    measuring.close()
    throw error
  }
}

async function readTls(config: Config, log: Logger) {
  if (config.tlsCert === null || config.tlsKey === null) return null
  const read = async (name: string, file: string) =>
    readFile(file).catch(error => {
      throw new ConfigError(`${name} names a file that cannot be read (${error.code}).`)
    })
  const tls = {
    cert: await read('TILLBELL_TLS_CERT', config.tlsCert),
    key: await read('TILLBELL_TLS_KEY', config.tlsKey),
  }
  try {
    createSecureContext(tls)
  } catch {
    throw new ConfigError('TILLBELL_TLS_CERT and TILLBELL_TLS_KEY must name a certificate and its private key (PEM).')
  }
  const { validTo } = new X509Certificate(tls.cert)
  // Whoever asks refuses it. What goes out, and who is behind a proxy that does not look, is served all the same.
  if (new Date(validTo) < new Date()) log.error(`TILLBELL_TLS_CERT has expired (${validTo}): renew it, and start again`)
  return tls
}

async function listenOn(app: FastifyInstance, host: string, port: number, name: string): Promise<number> {
  await app.listen({ host, port }).catch(error => {
    throw listenProblem(error, host, port, name)
  })
  return (app.server.address() as AddressInfo).port
}

async function listenForMetrics(
  server: ReturnType<typeof metricsServer>,
  { metricsHost: host, metricsPort: port }: Config,
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    const name = 'TILLBELL_METRICS_PORT'
    server.once('error', error => reject(listenProblem(error, host, port, name, 'TILLBELL_METRICS_HOST')))
    server.listen(port, host, resolve)
  })
  return (server.address() as AddressInfo).port
}

function listenProblem(
  error: NodeJS.ErrnoException,
  host: string,
  port: number,
  name: string,
  hostName = 'TILLBELL_HOST',
): Error {
  if (error.code === 'EADDRINUSE')
    return new ConfigError(`${name} ${port} is in use on ${host}. Choose another, or 0 for any free one.`)
  if (error.code === 'EACCES') return new ConfigError(`${name} ${port} may not be used by this user.`)
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new ConfigError(`${hostName} ${host} is not an address of this machine.`)
  return error
}

async function refreshGauges(metrics: Metrics, { sql, clock }: Foundation): Promise<void> {
  const now = clock.now()
  const [{ inDoubt, forPerson }, owed, mailOwedAt] = await Promise.all([
    countDoubt(sql),
    countHooks(sql, now),
    oldestMailOwed(sql),
  ])
  const sinceS = (at: Date | null) => (at === null ? 0 : (now.getTime() - at.getTime()) / 1_000)
  metrics.doubt.set({ what: 'unknown' }, inDoubt)
  metrics.doubt.set({ what: 'for_person' }, forPerson)
  const { pending, oldestDue, untold } = metrics.hooks
  for (const state of ['due', 'later', 'parked'] as const) pending.set({ state }, owed[state])
  oldestDue.set(sinceS(owed.oldestDueAt))
  metrics.mailOldestDue.set(sinceS(mailOwedAt))
  untold.reset()
  for (const { currency, amountMinor } of owed.untold) untold.set({ currency }, amountAsNumber(amountMinor, currency))
}
