// The HTTP server: limits, arguments, credentials, one error handler, and the routes under /api/v5/rest.

import http from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { parse } from 'node:querystring'
import swagger from '@fastify/swagger'
import Fastify, {
  type ConnectionError,
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { answerText } from '../core/json.ts'
import type { ServiceFacts } from '../core/sale.ts'
import { networkOf } from '../core/tries.ts'
import type { WorksFor } from '../core/works-for.ts'
import type { Caller } from '../http/answering.ts'
import { readArguments, refuseCompressed } from '../http/arguments.ts'
import { bodyParser, messageClasses } from '../http/bodies.ts'
import { endsConnections } from '../http/closing.ts'
import { boundConnections, type ConnectionOptions } from '../http/connections.ts'
import type { Door } from '../http/door.ts'
import { ApiError, publicError, sendError } from '../http/errors.ts'
import { keywords } from '../http/fields.ts'
import { forBoth, forItself, givePlacesBack, holdPlaces, takePlaceFor, workForMerchants } from '../http/hold-places.ts'
import { limitsOf, takeKnownArgumentsOnly } from '../http/known-arguments.ts'
import { createLargeBodies } from '../http/large-bodies.ts'
import { endAndLinger } from '../http/linger.ts'
import { createListLimiter } from '../http/list-limiter.ts'
import { isFromOtherSite } from '../http/other-sites.ts'
import { parseInSlices } from '../http/parse-in-slices.ts'
import { oneRequestAtATime, type RequestListener } from '../http/pipelining.ts'
import { countAsPages, isRoute, limitStrangers } from '../http/strangers.ts'
import { createThrottle } from '../http/throttle.ts'
import { limitRecords } from '../tls/limit-records.ts'
import { quickGroups } from '../tls/quick-groups.ts'
import { authenticator } from './authenticate.ts'
import { compiledWhenUsed } from './compiled-when-used.ts'
import { createByGet } from './create-by-get.ts'
import { documentRoute } from './document-route.ts'
import { type GatewayEventPorts, gatewayEventRoutes } from './gateway-events.ts'
import { hookListenerRoutes } from './hook-listeners.ts'
import { knownCallers } from './known-callers.ts'
import { openApi, restPath } from './openapi.ts'
import type { ApiPorts } from './ports.ts'
import { resourceRoutes } from './resources.ts'
import { registrationRoutes } from './tokens.ts'

export interface ServerOptions {
  readonly log: FastifyBaseLogger
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | null
  readonly trustedProxies: readonly string[]
  /** A process without the api role answers only for its health. */
  readonly serves: { readonly rest: boolean }
  /** Has the audit log know what is set by REST. */
  readonly recordChanges: (rest: FastifyInstance) => void
  /** What gateways tell by themselves, where REST is served. */
  readonly notices: GatewayEventPorts
  /** Pages for people, beside REST; null: this process has none. */
  readonly pages: ((app: FastifyInstance) => Promise<void>) | null
  /** What the dashboard calls, and its files; `resources` registers the routes of REST. Null: this process has no pages. */
  readonly console: ((app: FastifyInstance, resources: (scope: FastifyInstance) => void) => Promise<void>) | null
  /** What a person sees where nothing is; null: this process has no pages. */
  readonly nothingHere: ((request: FastifyRequest, reply: FastifyReply) => FastifyReply) | null
  /** Mail that a provider posts here; null: none does. */
  readonly mailIn: ((app: FastifyInstance) => Promise<void>) | null
  /** Each has places of its own: who is busy with one can still look at another. Health is asked without. */
  readonly doors: { readonly rest: Door; readonly pages: Door; readonly console: Door }
  readonly connections: ConnectionOptions
  readonly worksFor: (merchant: WorksFor, work: () => void) => void
  readonly newRequestId: () => string
}

const bodyBytesMax = 65_536
/** No route has as many arguments. Each costs a microsecond, before anything else is known of a request. */
const queryNamesMax = 100
const readQuery = (text: string) => parse(text, '&', '=', { maxKeys: queryNamesMax })
const limits = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
  // Node would answer each of thousands that come at once; ours is asked after they were counted.
  requireHostHeader: false,
}
/** Far more than any client sends. A field costs about a microsecond and a half, also of a request that is refused. */
const headerFieldsMax = 100
const tlsLimits = { handshakeTimeout: 10_000, ecdhCurve: quickGroups }

export async function createApiServer(ports: ApiPorts, options: ServerOptions): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    frameworkErrors: sendBeforeHooks,
    clientErrorHandler: refuseBrokenHttp,
    genReqId: options.newRequestId,
    requestIdHeader: false,
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    bodyLimit: bodyBytesMax,
    routerOptions: { maxParamLength: 255, querystringParser: readQuery },
    return503OnClosing: false, // ours says it in our own words, below
    forceCloseConnections: 'idle',
    ajv: {
      customOptions: {
        allErrors: true,
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        allowUnionTypes: true,
        verbose: true, // an error has the schema that it is about
      },
      plugins: [ajv => keywords.reduce((all, keyword) => all.addKeyword(keyword), ajv)],
    },
    schemaController: { compilersFactory: { buildValidator: compiledWhenUsed } },
    serverFactory: handler => nodeServer(options, handler),
  })
  boundConnections(app.server, options.connections)
  const endConnections = endsConnections(app.server)
  app.addHook('preClose', async () => endConnections())
  givePlacesBack(app)
  workForMerchants(app, options.worksFor)
  const known = knownCallers(createThrottle({ perS: ports.requestsPerS, burst: ports.requestsPerS }))
  limitStrangers(app, request => (isRoute(request, restPath) ? known.callerOf(request) : null))
  app.decorate('listLimiter', createListLimiter())
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  // Answers are sent as text: their schemas are for the OpenAPI document, and nothing is to be compiled from them.
  app.setSerializerCompiler(() => JSON.stringify)
  answerAsJson(app, ports.core.service)
  refuseWhenStopping(app)
  answerWhereNothingIs(app, options.nothingHere)
  readBodies(app)
  observe(app, ports)
  await app.register(swagger, openApi())
  healthRoutes(app, ports)
  if (options.serves.rest) await app.register(async scope => programs(scope, ports, options, known))
  if (options.mailIn !== null) await app.register(options.mailIn) // has turns of its own
  const { doors, pages, console } = options
  if (pages !== null)
    await app.register(async scope => {
      countAsPages(scope)
      holdPlaces(scope, doors.pages, forBoth(addressOf))
      await pages(scope)
    })
  if (console !== null)
    await app.register(async scope => {
      holdPlaces(scope, doors.console, forItself(addressOf))
      await console(scope, rest => resourceRoutes(rest, ports))
    })
  await app.register(async scope => {
    holdPlaces(scope, doors.pages, forBoth(addressOf))
    documentRoute(scope, ports.core.service)
  })
  return app
}

const addressOf = ({ ip }: FastifyRequest) => networkOf(ip)

/** What merchants' and gateways' programs call. */
async function programs(
  scope: FastifyInstance,
  ports: ApiPorts,
  options: ServerOptions,
  known: ReturnType<typeof knownCallers>,
): Promise<void> {
  holdPlaces(scope, options.doors.rest, forItself(known.nameOf))
  const proven = async (request: FastifyRequest, { merchantId }: Caller) => {
    const caller = known.remember(request, merchantId)
    request.server.strangers.giveBack(request)
    await takePlaceFor(request, merchantId)
    await request.server.strangers.count(request, caller)
  }
  await scope.register(async rest => restRoutes(rest, ports, known, proven, options.recordChanges), {
    prefix: restPath,
  })
  await scope.register(async open => {
    takeKnownArgumentsOnly(open)
    registrationRoutes(open, ports)
  })
  await scope.register(async events => gatewayEventRoutes(events, options.notices, ports))
}

function answerWhereNothingIs(app: FastifyInstance, nothingHere: ServerOptions['nothingHere']): void {
  const answer = (request: FastifyRequest, reply: FastifyReply) => {
    if (nothingHere !== null && isForAPerson(request)) return nothingHere(request, reply)
    return sendError(new ApiError(404, { general: 'There is nothing here.' }), request, reply)
  }
  app.setNotFoundHandler(answer)
  // Without its body, which the framework would read first.
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) return answer(request, reply)
  })
}

/** A browser's own visit: a program asks for JSON, or says nothing. */
function isForAPerson({ method, url, headers }: FastifyRequest): boolean {
  const isVisit = (method === 'GET' || method === 'HEAD') && !url.startsWith('/api/')
  return isVisit && /\btext\/html\b/.test(headers.accept ?? '')
}

function nodeServer({ tls, connections }: Pick<ServerOptions, 'tls' | 'connections'>, handler: RequestListener) {
  const handle: RequestListener = (request, response) => {
    // One more than are allowed is kept, which tells. Older releases of Node 24 leave out what is over their limit, and go on.
    if (request.rawHeaders.length > headerFieldsMax * 2) return refuseByHand(response, 431, tooLargeHeaders)
    if (request.httpVersion === '1.1' && request.headers.host === undefined)
      return refuseByHand(response, 400, 'The header Host is missing.')
    createByGet(request)
    handler(request, response)
  }
  const listener = oneRequestAtATime(handle, () => connections.ended('pipelined', 1))
  const settings = { ...limits, ...messageClasses(why => connections.ended(why, 1)) }
  const server =
    tls === null
      ? http.createServer(settings, listener)
      : https.createServer({ ...settings, ...tlsLimits, ...tls }, listener)
  if (server instanceof https.Server) limitRecords(server, () => connections.ended('records', 1))
  server.maxHeadersCount = headerFieldsMax + 1
  parseInSlices(server, tls !== null)
  // Node would answer an expectation that it does not know by itself, with no body and none of our headers.
  return server.on('checkExpectation', listener)
}

const tooLargeHeaders = `The headers are larger than 16 KiB, or more than ${headerFieldsMax} fields.`

function refuseByHand(response: http.ServerResponse, status: number, general: string): void {
  const body = JSON.stringify({ errors: { general } })
  response.writeHead(status, { ...headersByHand, 'Content-Length': body.length, Connection: 'close' }).end(body)
}

const headersByHand = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }

/** What is not even HTTP, or has headers without end, is answered by hand: there is no request to answer to. */
function refuseBrokenHttp(error: ConnectionError, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const [line, general] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', tooLargeHeaders]
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'The request did not arrive in time.']
        : ['400 Bad Request', 'The request is not valid HTTP.']
  const body = JSON.stringify({ errors: { general } })
  const head = `HTTP/1.1 ${line}\r\nContent-Type: application/json\r\nCache-Control: no-store\r\nContent-Length: ${body.length}\r\nConnection: close`
  endAndLinger(socket, `${head}\r\n\r\n${body}`)
}

/** What arrives on an open connection while the service stops: what is under way is finished, nothing new is begun. */
function refuseWhenStopping(app: FastifyInstance): void {
  let stopping = false
  app.addHook('preClose', async () => {
    stopping = true
  })
  app.addHook('onRequest', async () => {
    if (stopping)
      throw new ApiError(
        503,
        { general: 'The service is stopping. Try again.' },
        { 'Retry-After': '5', Connection: 'close' },
      )
  })
}

const ofPages = /^(text\/(html|css|csv|javascript)|image\/[a-z+]+)\b/

/**
 * All but pages, files and pictures, which say themselves what they are and how long they may be kept. A browser that
 * was once told so comes back by TLS alone, also to an address that somebody typed or mailed without it.
 */
function answerAsJson(app: FastifyInstance, service: ServiceFacts): void {
  app.addHook('onSend', async (request, reply) => {
    const { 'Content-Type': json, 'Cache-Control': notKept, ...headers } = headersOfEveryAnswer(request)
    const isOfPages = ofPages.test(String(reply.getHeader('content-type')))
    const kept = isOfPages && reply.statusCode < 400 ? reply.getHeader('cache-control') : undefined
    // The base address is known only once the port is.
    if (service.baseUrl.startsWith('https:')) reply.header('Strict-Transport-Security', 'max-age=31536000')
    reply.headers({ ...headers, 'Cache-Control': kept ?? notKept, ...(!isOfPages && { 'Content-Type': json }) })
  })
}

function headersOfEveryAnswer({ id }: FastifyRequest) {
  return {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Request-Id': id,
    'X-Content-Type-Options': 'nosniff',
  }
}

/** A path that cannot be read is answered before any hook; as bytes, because to text the framework adds a charset. */
function sendBeforeHooks(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const send = (refused: FastifyError) => {
    const { status, errors, headers } = publicError(refused, request)
    reply
      .code(status)
      .headers({ ...headersOfEveryAnswer(request), ...headers })
      .send(Buffer.from(answerText({ errors })))
  }
  void request.server.strangers.take(request, 1).then(() => send(error), send)
}

/** Of one merchant. */
const largeBodiesWaitingMax = 32

function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const large = createLargeBodies(largeBodiesWaitingMax)
  const inTurns = { large, nameOf: (request: FastifyRequest) => request.caller?.merchantId ?? addressOf(request) }
  const parse = bodyParser((body, request) => {
    refuseCompressed(request.headers['content-encoding'])
    return readArguments(request.headers['content-type'], body, limitsOf(request))
  }, inTurns)
  app.addContentTypeParser('*', parse)
  app.addHook('preValidation', async request => {
    request.body ??= {}
  })
}

function observe(app: FastifyInstance, ports: ApiPorts): void {
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none'
    const durationMs = reply.elapsedTime
    ports.observeRequest(request.method, route, reply.statusCode, durationMs)
    if (request.turnedAway) return // the log says so once, not for each: there may be thousands in a second
    const merchant = request.caller?.merchantId
    // The route, not the URL: a query may carry what does not belong in a log.
    request.log.info(
      { method: request.method, route, status: reply.statusCode, durationMs: Math.round(durationMs), merchant },
      'request',
    )
  })
}

function healthRoutes(app: FastifyInstance, ports: ApiPorts): void {
  app.decorateRequest('caller', null)
  app.decorateRequest('isBodyLate', false)
  app.get('/healthz', { schema: { hide: true } }, async (_, reply) => reply.send(answerText({ status: 'ok' })))
  app.get('/readyz', { schema: { hide: true } }, async (_, reply) => {
    const problem = await ports.isReady()
    const body = problem === null ? { status: 'ready' } : { status: 'not ready', problem }
    return reply.code(problem === null ? 200 : 503).send(answerText(body))
  })
}

const otherSite = 'A page of another site must not use this interface. Call it from your server.'

function restRoutes(
  rest: FastifyInstance,
  ports: ApiPorts,
  known: ReturnType<typeof knownCallers>,
  proven: (request: FastifyRequest, caller: Caller) => Promise<void>,
  recordChanges: ServerOptions['recordChanges'],
): void {
  const authenticate = authenticator(ports.store)
  rest.addHook('onRequest', async request => {
    if (isFromOtherSite(request.headers, ports.core.service.baseUrl)) throw new ApiError(403, { general: otherSite })
    request.caller = await authenticate(request).catch(error => {
      known.forget(request)
      throw error
    })
    request.isBodyLate = !request.raw.complete
    await proven(request, request.caller)
  })
  rest.addHook('preHandler', async request => {
    // A body may take its time, and its key may have been revoked meanwhile. Settings ask once more in their own commit.
    if (request.isBodyLate) request.caller = await authenticate(request)
  })
  takeKnownArgumentsOnly(rest)
  recordChanges(rest)
  resourceRoutes(rest, ports)
  // Not for the dashboard: a browser forwards nothing.
  hookListenerRoutes(rest, ports)
}
