// Who may ask what. Every route of the console says in its `config` whom it needs, and what the audit log calls what it
// changes: one that does not is not served at all.

import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { mayDo, type Role } from '../core/login.ts'
import { networkOf } from '../core/tries.ts'
import { parsedUrl } from '../core/web-address.ts'
import { ApiError } from '../http/errors.ts'
import { takePlaceFor } from '../http/hold-places.ts'
import { createThrottle, type Throttle } from '../http/throttle.ts'
import { sessionKeyIn, setCookie } from './cookie.ts'
import type { ConsolePorts, From, Replaces, SessionKey, SignedIn } from './ports.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may ask; `anybody`: also who has not signed in. */
    readonly needs?: Role | 'anybody'
    /** What the audit log calls it. Everything but a GET has one. */
    readonly action?: string
    /** It changes nothing, and is no GET because it asks with more than an address holds. */
    readonly onlyAsks?: true
    /** Fields of the body that the audit log may keep: no secret, nothing about a customer. */
    readonly keeps?: readonly string[]
    /** The field of the body that names who asked: written here, whatever the browser says. */
    readonly names?: string
  }
  interface FastifyRequest {
    login: SignedIn | null
    /** What it showed is to be replaced with the answer. */
    replaces: Replaces | null
  }
}

export function loginOf(request: FastifyRequest): SignedIn {
  if (request.login === null) throw new Error('a route for anybody asked who signed in')
  return request.login
}

export function fromOf({ ip, headers }: FastifyRequest): From {
  return { address: ip, userAgent: (headers['user-agent'] ?? '').slice(0, 255) }
}

/** What the browser shows from now on. */
export function setSession(
  reply: FastifyReply,
  { service, sessions }: Pick<ConsolePorts, 'service' | 'sessions'>,
  key: SessionKey,
): void {
  reply.header('Set-Cookie', setCookie(service.baseUrl, key, sessions.wholeMaxS))
}

/** Called for each route of the console as it is registered. */
export function checkRoute({ method, url, config }: RouteOptions): void {
  const named = `${String(method)} ${url}`
  if (config?.needs === undefined) throw new Error(`${named} does not say whom it needs`)
  const changes = method !== 'GET' && config.onlyAsks !== true
  if (changes && config.action === undefined) throw new Error(`${named} has no word for the audit log`)
}

/** A person does a few things a second; a page asks for a dozen at once. */
const requests = { perS: 50, burst: 200 }
/** Of one network, by those who have not signed in. A whole office may come at nine; tries of passwords are counted apart. */
const strangersRequests = { perS: 20, burst: 100 }

export function guard(app: FastifyInstance, ports: ConsolePorts): void {
  const throttle = createThrottle(requests)
  const strangersThrottle = createThrottle(strangersRequests)
  app.decorateRequest('login', null)
  app.decorateRequest('replaces', null)
  app.addHook('onRequest', async request => {
    const { needs = 'owner' } = request.routeOptions.config
    if (request.url.includes('%00')) throw new ApiError(400, { general: 'The address must not hold NUL (%00).' })
    if (needs === 'anybody') refuseTooOften(strangersThrottle, networkOf(request.ip))
    if (request.method !== 'GET') refuseOtherSites(request, ports.service.baseUrl)
    if (needs === 'anybody') return
    const { strangers } = request.server
    const { who, replaces } = await signedIn(request, ports).catch(error => {
      strangers.forgetCookies(request)
      throw error
    })
    const known = { name: who.email, throttle }
    strangers.giveBack(request)
    strangers.rememberCookies(request, known)
    await strangers.count(request, known)
    await takePlaceFor(request, who.merchantId)
    if (request.method !== 'GET') refuseForged(request, who, ports)
    letIn(request, who, needs)
    // As it is now: by the time the body is there, another request may have replaced it.
    request.replaces = replaces
  })
  app.addHook('preHandler', async request => {
    const { needs = 'owner' } = request.routeOptions.config
    // A body may take its time. Who was removed meanwhile, or is signed out, begins nothing any more. What gives access or
    // decides where money goes is asked about once more in its own commit (store/actors.ts).
    if (request.method === 'GET' || needs === 'anybody') return
    letIn(request, (await signedIn(request, ports)).who, needs)
  })
  app.addHook('onSend', async (request, reply, payload) => {
    const { login, replaces } = request
    // As late as this: what the work took is not added to how long a new secret is on its way. And not where the work itself
    // has set another, or has signed out.
    if (login === null || replaces === null || reply.hasHeader('Set-Cookie')) return payload
    const fresh = await ports.sessions.replace(login, replaces).catch(error => notReplaced(request, error))
    if (fresh !== null) setSession(reply, ports, { ...login, secret: fresh })
    return payload
  })
}

function refuseTooOften(throttle: Throttle, name: string): void {
  const taken = throttle.take(name)
  if (!taken.ok) throw ApiError.tooMany('Too many requests.', taken.retryAfterS)
}

function letIn(request: FastifyRequest, who: SignedIn, needs: Role): void {
  if (!mayDo(who.role, needs)) throw ApiError.notForRole(needs)
  const { merchantId, email: name, sessionId: id, shownSha256 } = who
  request.login = who
  request.caller = { merchantId, name, session: { id, shownSha256, needs } }
}

/** The next answer will do. */
function notReplaced({ log }: FastifyRequest, error: unknown): null {
  log.error({ err: error }, 'a session kept its secret')
  return null
}

/** A cookie that is good no more is left where it is: there may be another in its place before this answer is read. */
async function signedIn(request: FastifyRequest, { service, sessions }: ConsolePorts) {
  const key = sessionKeyIn(service.baseUrl, request.headers.cookie)
  const found = key && (await sessions.find(key, fromOf(request)))
  if (found === null) throw ApiError.notSignedIn()
  return found
}

/** A browser says where a request comes from; whoever is none of the dashboard's own pages changes nothing. */
function refuseOtherSites({ headers }: FastifyRequest, baseUrl: string): void {
  const { origin, host, 'sec-fetch-site': site } = headers
  const from = origin === undefined ? null : parsedUrl(origin)
  const isOurs = from !== null && [new URL(baseUrl).host, host].includes(from.host)
  if (!isOurs || (site !== undefined && site !== 'same-origin')) {
    throw new ApiError(403, { general: 'This must be asked from the dashboard.' })
  }
}

function refuseForged({ headers }: FastifyRequest, { sessionId }: SignedIn, { csrf }: ConsolePorts): void {
  const given = headers['x-csrf-token']
  if (typeof given === 'string' && csrf.fits(sessionId, given)) return
  throw new ApiError(403, { general: 'X-CSRF-Token is missing or wrong: load the page again.' })
}
