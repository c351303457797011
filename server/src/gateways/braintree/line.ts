// One call through Braintree's SDK, and what is known about it afterwards: answered, never left, or in doubt. The SDK
// tells a refused connection from a cut one by words alone, limits neither the time in all nor an answer's size, and ends
// the process where an answer says that it is JSON and is not. So an agent of ours looks on; nothing is retried.

import { type ClientRequest, type IncomingMessage, Agent as PlainAgent } from 'node:http'
import { Agent as SecureAgent } from 'node:https'
import type { Socket } from 'node:net'
import braintree from 'braintree'
import type { Note, Unknown } from '../../core/gateway.ts'
import type { BraintreeAccount } from './account.ts'
import { type Failed, failureByStatus, notReached, unknown } from './failures.ts'
import { isMembers } from './members.ts'
import { readTransaction } from './transaction.ts'

export interface Sdk extends Omit<braintree.BraintreeGateway, 'transaction'> {
  readonly transaction: Transactions
  /** What the SDK's own gateways call. Its search streams and pages throw where nobody catches: those are read by ours. */
  readonly http: { get(path: string): Promise<unknown>; post(path: string, body: object): Promise<unknown> }
}
interface Transactions extends Omit<braintree.BraintreeGateway['transaction'], 'refund'> {
  /** The published types know of the amount alone. */
  refund(id: string, credit: { readonly amount: string; readonly orderId: string }): Promise<unknown>
}
export type Asked = { readonly kind: 'answered'; readonly answer: unknown } | Failed

export interface Line {
  /** `call` makes one request. */
  ask(call: (sdk: Sdk, merchantPath: string) => Promise<unknown>): Promise<Asked>
  readonly signal: AbortSignal
}

/** Twenty transactions of some ten thousand bytes each, or fifty thousand ids. */
const answerBytesMax = 2 * 1024 * 1024

export function openLine(account: BraintreeAccount, signal: AbortSignal, note?: Note): Line {
  const merchantPath = `/merchants/${account.merchantId}`
  return {
    signal,
    async ask(call) {
      if (signal.aborted) return unknown('The time was up before Braintree was asked.')
      const watch = newWatch()
      const sdk = openSdk(account, watchingAgent(account.isSecure, watch))
      const { promise: late, resolve } = Promise.withResolvers<Unknown>()
      const onAbort = () => resolve(unknown('Braintree did not answer in time.'))
      signal.addEventListener('abort', onAbort, { once: true })
      const answered = call(sdk, merchantPath).then(
        (answer): Asked => ({ kind: 'answered', answer }),
        (error): Asked => failureSeen(watch, error),
      )
      try {
        const asked = await Promise.race([answered, late])
        note?.(exchangeOf(watch, merchantPath, asked))
        return asked
      } finally {
        signal.removeEventListener('abort', onAbort)
        watch.request?.destroy()
        watch.socket?.destroy()
      }
    },
  }
}

function openSdk(account: BraintreeAccount, customHttpAgent: PlainAgent): Sdk {
  const { environment, merchantId, publicKey, privateKey } = account
  const config = { environment, merchantId, publicKey, privateKey, customHttpAgent }
  return new braintree.BraintreeGateway(config) as unknown as Sdk
}

interface Watch {
  request: ClientRequest | null
  socket: Socket | null
  /** The request was given a connection, so it may have left. */
  isConnected: boolean
  errorCode: string
  /** Of an answer that came in full. */
  answer: IncomingMessage | null
  /** What the answer is that the SDK must not see. */
  refused: string | null
}

function newWatch(): Watch {
  return { request: null, socket: null, isConnected: false, errorCode: 'no error', answer: null, refused: null }
}

/** How Node hands a request to its agent; its types leave that out. */
interface RequestTaker {
  addRequest(request: ClientRequest, ...rest: unknown[]): void
}

/**
 * No connection is used twice: one that the other side closes meanwhile leaves doubt, and Braintree has no idempotency
 * that would end it. A request gets its connection when that stands, TLS included: one that never got any never left.
 */
function watchingAgent(isSecure: boolean, watch: Watch): PlainAgent {
  const agent = isSecure ? new SecureAgent() : new PlainAgent()
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (options, connected) => {
    const socket = connect(options) as Socket
    watch.socket = socket
    const failed = (error: Error) => connected?.(error, socket)
    socket.once('error', failed)
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      socket.off('error', failed)
      connected?.(null, socket)
    })
    return undefined
  }
  const taker = agent as unknown as RequestTaker
  const take = taker.addRequest.bind(agent)
  taker.addRequest = (request, ...rest) => {
    watchRequest(request, watch)
    take(request, ...rest)
  }
  return agent
}

function watchRequest(request: ClientRequest, watch: Watch): void {
  watch.request = request
  // The SDK unpacks without a limit.
  request.setHeader('accept-encoding', 'identity')
  request.once('socket', () => (watch.isConnected = true))
  request.on('error', error => (watch.errorCode = codeOf(error)))
  request.prependOnceListener('response', response => {
    const isToBeRead = [200, 201, 422].includes(response.statusCode ?? 0)
    const refuse = (why: string) => {
      watch.refused ??= why
      // What has come already cannot be taken back; of a status that it does not know the SDK reads no body.
      response.statusCode = 0
      request.destroy()
    }
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > answerBytesMax) refuse('The answer of Braintree is too large.')
      else if (isToBeRead && !isXml(response)) refuse('The answer of Braintree is not XML.')
    })
    response.once('end', () => (watch.answer = watch.refused === null ? response : null))
  })
}

function isXml({ headers }: IncomingMessage): boolean {
  const encoding = headers['content-encoding'] ?? 'identity'
  return encoding === 'identity' && /^application\/xml\b/.test(headers['content-type'] ?? '')
}

function failureSeen(watch: Watch, error: unknown): Failed {
  if (watch.refused !== null) return unknown(watch.refused)
  if (watch.answer !== null) return failureByStatus(watch.answer)
  if (watch.request === null) {
    // The SDK refuses names that cannot stand in a path before it asks; whatever else it throws then is a bug.
    if (isMembers(error) && error.type === 'notFoundError') return { kind: 'not_found' }
    throw error
  }
  return watch.isConnected
    ? unknown(`The connection to Braintree failed (${watch.errorCode}).`)
    : notReached(watch.errorCode)
}

/** The code, not the message: messages quote addresses and worse. */
function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

function exchangeOf({ request, answer }: Watch, merchantPath: string, asked: Asked): string {
  const path = request?.path.replace(merchantPath, '') ?? ''
  return `${request?.method ?? 'nothing'} ${path}: ${answer === null ? '' : `HTTP ${answer.statusCode}, `}${heard(asked)}`
}

function heard(asked: Asked): string {
  if (asked.kind === 'not_found') return 'not found'
  if (asked.kind !== 'answered') return asked.cause
  const { answer } = asked
  const told = readTransaction(isMembers(answer) && isMembers(answer.transaction) ? answer.transaction : answer)
  if (told !== null) return `${told.id} is ${told.status}`
  return isMembers(answer) && answer.success === false ? 'refused' : 'understood'
}
