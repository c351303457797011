// The running service, as a merchant's own program sees it: REST with an API key. Commands that use this need no database, and
// work from a developer's machine against a service anywhere.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Call, FailedError, type Option, UsageError } from './command.ts'

export interface Answer {
  readonly status: number
  /** What it says: an object with the thing that was asked for, or with `errors`; of a list, its `rows`. */
  readonly body: { readonly [name: string]: unknown }
}

export interface AskOptions {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  readonly idempotencyKey?: string
}

export interface Remote {
  readonly baseUrl: string
  /**
   * `path` begins behind `/api/v5/rest`. Whatever the service says is an answer, but for a key that it refuses; throws a
   * FailedError then, and a NotReachableError where it says nothing.
   */
  readonly ask: (method: string, path: string, body?: object, options?: AskOptions) => Promise<Answer>
}

/** It helps nobody to try again. */
export class KeyRefusedError extends FailedError {}

/** Nothing answered, or something in between said that nothing does: it may help to try again. */
export class NotReachableError extends FailedError {}

/** For the options of a command that speaks REST. */
export const remoteOptions: { readonly [name: string]: Option } = {
  url: {
    type: 'url',
    says: 'The service; TILLBELL_URL by default, else, where no key is given, that of demo.json in the data folder.',
  },
  key: { type: 'key', says: 'The API key; TILLBELL_API_KEY by default, else, for its own service, that of demo.json.' },
  secret: { type: 'secret', says: 'Its secret; TILLBELL_API_SECRET by default, which other users do not see.' },
}

interface Credentials {
  readonly baseUrl: string
  readonly key: string
  readonly secret: string
}

const toStandardError = (sentence: string) => void process.stderr.write(`${sentence}\n`)

export async function remoteFrom(call: Call, warn: (sentence: string) => void = toStandardError): Promise<Remote> {
  const credentials = await credentialsFrom(call)
  if (isInTheOpen(new URL(credentials.baseUrl)))
    warn(`${credentials.baseUrl} is not https: whoever is on the way there can read the API secret.`)
  return {
    baseUrl: credentials.baseUrl,
    async ask(method, path, body, options) {
      const answer = await ask(credentials, method, path, body, options)
      // Where not even offers are known, it is the address that is wrong: a path too much, or too little.
      if (isNothing(answer) && isNothing(await ask(credentials, 'GET', '/offers?limit=1', undefined, options)))
        throw notTillbell(credentials.baseUrl, answer.status)
      return answer
    },
  }
}

/** As the service answers for paths that are none of its own. */
function isNothing({ status, body }: Answer): boolean {
  return status === 404 && (body.errors as { general?: unknown } | undefined)?.general === 'There is nothing here.'
}

function notTillbell(baseUrl: string, status: number): FailedError {
  return new FailedError(
    `${baseUrl} does not answer as Tillbell does (status ${status}). Is that the service's address?`,
  )
}

/** All sentences of a refusal, as one line; null: it was none. */
export function refusalIn({ status, body }: Answer): string | null {
  if (status >= 200 && status <= 299) return null
  const sentences = Object.values(body.errors ?? {}).map(String)
  return sentences.length > 0 ? sentences.join(' ') : `The service answered ${status}.`
}

async function credentialsFrom(call: Call): Promise<Credentials> {
  const { remote, dataFolder } = call.config
  const given = {
    url: urlOption(call) ?? plain('TILLBELL_URL', remote.url),
    key: wordOption(call, 'key') ?? remote.apiKey,
    secret: wordOption(call, 'secret') ?? remote.apiSecret,
  }
  if ((given.key === null) !== (given.secret === null)) {
    const [missing, variable] = given.key === null ? ['--key', 'TILLBELL_API_KEY'] : ['--secret', 'TILLBELL_API_SECRET']
    throw new UsageError(`An API key and its secret go together: give ${missing}, or set ${variable}.`)
  }
  const { url, key, secret } = given
  if (key !== null && secret !== null) {
    if (url === null) throw new UsageError(await whichService(dataFolder))
    if (key.startsWith('sk_') || secret.startsWith('pk_'))
      throw new UsageError('An API key begins with pk_, its secret with sk_: have they changed places?')
    return { baseUrl: url, key, secret }
  }
  return demoCredentials(dataFolder, url)
}

/** The address of demo.json is named, not taken: a key of another service would be told to it. */
async function whichService(dataFolder: string): Promise<string> {
  const { base_url } = (await readDemo(dataFolder)) ?? {}
  const known = base_url === undefined ? '' : ` If it is the sandbox of this folder, that is ${base_url}.`
  return `Which service? Give --url, or set TILLBELL_URL.${known}`
}

/** They are for the service that wrote them, and are told to no other. */
async function demoCredentials(dataFolder: string, url: string | null): Promise<Credentials> {
  const { base_url, api_key, api_secret } = (await readDemo(dataFolder)) ?? {}
  if (base_url === undefined || api_key === undefined || api_secret === undefined) {
    throw new UsageError(
      `No API key: give --key and --secret, set TILLBELL_API_KEY and TILLBELL_API_SECRET, or start the sandbox, which leaves them in ${join(dataFolder, 'demo.json')}.`,
    )
  }
  if (url !== null && new URL(url).origin !== new URL(base_url).origin) {
    throw new UsageError(
      `No API key for ${url}: give --key and --secret, or set TILLBELL_API_KEY and TILLBELL_API_SECRET. Those in ${join(dataFolder, 'demo.json')} are for ${base_url}.`,
    )
  }
  return { baseUrl: url ?? base_url, key: api_key, secret: api_secret }
}

function isInTheOpen({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !/^(?:127\.\d+\.\d+\.\d+|\[::1\]|(?:.+\.)?localhost)$/.test(hostname)
}

function wordOption({ options }: Call, name: string): string | null {
  const value = options[name]
  if (value === undefined) return null
  if (typeof value !== 'string' || value.trim() === '') throw new UsageError(`--${name} must not be empty.`)
  return value
}

function urlOption(call: Call): string | null {
  const given = wordOption(call, 'url')
  if (given === null) return null
  const url = URL.canParse(given) ? new URL(given) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol) || !/^https?:\/\/\S+$/i.test(given))
    throw new UsageError('--url must be a URL with http: or https:.')
  return plain('--url', given.replace(/\/+$/, ''))
}

/** Behind anything else the path would become part of it, and the secret go to a place that nobody meant. */
function plain(name: string, url: string | null): string | null {
  if (url === null) return null
  const { username, password } = new URL(url)
  if (/[?#]/.test(url) || username !== '' || password !== '')
    throw new UsageError(`${name} must be without a query, a fragment and credentials.`)
  return url
}

interface Demo {
  readonly base_url?: string
  readonly api_key?: string
  readonly api_secret?: string
}

async function readDemo(dataFolder: string): Promise<Demo | null> {
  const text = await readFile(join(dataFolder, 'demo.json'), 'utf8').catch(() => '')
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const usualTimeoutMs = 30_000

async function ask(
  { baseUrl, key, secret }: Credentials,
  method: string,
  path: string,
  body: object | undefined,
  { timeoutMs = usualTimeoutMs, signal, idempotencyKey }: AskOptions = {},
): Promise<Answer> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const response = await fetch(`${baseUrl}/api/v5/rest${path}`, {
    method,
    // A redirect would carry the secret to a place that nobody named.
    redirect: 'manual',
    headers: {
      Authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
  }).catch(error => {
    throw new NotReachableError(`${baseUrl} is not reachable: ${whyNot(error)}`)
  })
  const text = await response.text().catch(error => {
    throw new NotReachableError(`${baseUrl} broke off its answer: ${whyNot(error)}`)
  })
  return answerFrom(baseUrl, response.status, text)
}

function answerFrom(baseUrl: string, status: number, text: string): Answer {
  const body = parsed(status, text)
  if (status === 401) throw new KeyRefusedError(`${baseUrl} does not accept this API key and secret.`)
  if (body !== null) return { status, body }
  if (status >= 500)
    throw new NotReachableError(`${baseUrl} is not reachable: what stands before it answers ${status}.`)
  throw notTillbell(baseUrl, status)
}

function parsed(status: number, text: string): Answer['body'] | null {
  try {
    const body = JSON.parse(text)
    if (typeof body !== 'object' || body === null) return null
    const isSuccess = status >= 200 && status <= 299
    if (Array.isArray(body)) return isSuccess ? { rows: body } : null
    return isSuccess || 'errors' in body ? body : null
  } catch {
    return null
  }
}

function whyNot(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { name?: string; code?: string; message?: string } }
  if (name === 'TimeoutError') return 'it did not answer in time.'
  if (name === 'AbortError') return 'it was not waited for.'
  if (cause?.code === 'ECONNREFUSED') return 'nothing listens there. Is the service running?'
  if (cause?.code === 'ENOTFOUND') return 'there is no such host.'
  if (cause?.message === 'bad port') return 'its port is one of those that no HTTP client goes to.'
  if (cause?.code === 'UND_ERR_SOCKET' || cause?.name === 'HTTPParserError')
    return "what listens there does not speak HTTP, or broke off. Is that the service's address?"
  return `${cause?.message || (error as Error).message}.`
}
