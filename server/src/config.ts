// The environment becomes one frozen, typed object, or a clear refusal to start. `variables` is also what the docs list.

import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { nearest } from './core/nearest.ts'
import type { SecretKeys } from './keys/sealing.ts'
import { parseSecretKeys } from './keys/secret-key.ts'
import { eachHost, wantsWrites } from './store/hosts.ts'

export const roles = ['api', 'worker', 'mail', 'pages'] as const
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
const dayMs = 86_400_000

/** A value that makes no sense, named. */
export class ConfigError extends Error {}

interface Variable<Value> {
  readonly says: string
  readonly fallback: string
  /** The value, or the rest of a sentence that begins with the variable's name. */
  readonly read: (text: string) => { readonly value: Value } | { readonly wrong: string }
}

const text: Variable<string | null>['read'] = given => ({ value: given === '' ? null : given })

function oneOf<const Value extends string>(allowed: readonly Value[]): Variable<Value>['read'] {
  return given => {
    const value = allowed.find(candidate => candidate === given)
    return value === undefined ? { wrong: `must be one of ${allowed.join(', ')}` } : { value }
  }
}

function wholeNumber(min: number, max: number): Variable<number>['read'] {
  return given => {
    const value = Number(given)
    const fits = /^[0-9]+$/.test(given) && value >= min && value <= max
    return fits ? { value } : { wrong: `must be a whole number from ${min} to ${max}` }
  }
}

const port = wholeNumber(0, 65_535)

function listOf<Value>(item: (given: string) => Value | null, says: string): Variable<readonly Value[]>['read'] {
  return given => {
    const parts = given
      .split(',')
      .map(each => each.trim())
      .filter(each => each !== '')
    const values = parts.map(item)
    const wrong = parts.find((_, index) => values[index] === null)
    return wrong === undefined ? { value: values as Value[] } : { wrong: `must be ${says}, not "${wrong}"` }
  }
}

function cidr(given: string): string | null {
  const [address = '', bits, ...more] = given.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return null
  const bitsMax = family === 4 ? 32 : 128
  if (bits !== undefined && !(/^[0-9]{1,3}$/.test(bits) && Number(bits) <= bitsMax)) return null
  return `${address}/${bits ?? bitsMax}`
}

/** A resolver is asked by its address: a name would have to be resolved first. */
function isAddressAndPort(given: string): boolean {
  const [, four, six, digits] = /^(?:([0-9.]+)|\[([0-9a-f:.]+)\]):([0-9]{1,5})$/i.exec(given) ?? []
  return isIP(four ?? six ?? '') !== 0 && Number(digits) >= 1 && Number(digits) <= 65_535
}

const hostLabel = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const hostName = new RegExp(`^${hostLabel}(?:\\.${hostLabel})*$`, 'i')

function isHostName(given: string): boolean {
  return given.length <= 253 && hostName.test(given)
}

const makesKey = 'openssl rand -base64 32 makes one'

/** Whoever guesses it may say who brought a mail. */
const secretCharsMin = 16
export const usualMailPort = 2_525

function urlOf(protocols: readonly string[]): Variable<string | null>['read'] {
  return given => {
    if (given === '') return { value: null }
    const url = URL.canParse(given) ? new URL(given) : null
    // The parser repairs `https:host` and blanks, and we keep what was given.
    if (url === null || !protocols.includes(url.protocol) || !/^[a-z]+:\/\/\S+$/i.test(given))
      return { wrong: `must be a URL with ${protocols.join(' or ')}` }
    return { value: given.replace(/\/+$/, '') }
  }
}

const ofPostgres = urlOf(['postgres:', 'postgresql:'])

/** It may name several servers, which no parser of URLs takes as one. */
const postgresUrl: Variable<string | null>['read'] = given => {
  const wrong = eachHost(given)
    .map(each => ofPostgres(each))
    .find(each => 'wrong' in each)
  if (wrong !== undefined) return wrong
  if (!wantsWrites(given)) return { wrong: 'may have no target_session_attrs but read-write: Tillbell writes' }
  return { value: given === '' ? null : given.replace(/\/+$/, '') }
}

export const variables = {
  TILLBELL_MODE: {
    says: '`sandbox`, or `live` for real money.',
    fallback: 'sandbox',
    read: oneOf(['sandbox', 'live']),
  },
  TILLBELL_HOST: { says: 'The address to listen on.', fallback: '127.0.0.1', read: text },
  TILLBELL_PORT: { says: 'The port of REST and pages; 0 picks a free one.', fallback: '8080', read: port },
  TILLBELL_METRICS_HOST: {
    says: 'The address that `/metrics` listens on; keep it off the internet.',
    fallback: '127.0.0.1',
    read: text,
  },
  TILLBELL_METRICS_PORT: { says: 'The port of `/metrics`; 0 picks a free one.', fallback: '9464', read: port },
  TILLBELL_MAIL_PORT: {
    says: 'The port of mail in; 0 picks a free one, and so does the sandbox where the usual one is in use.',
    fallback: String(usualMailPort),
    read: port,
  },
  TILLBELL_MAIL_DOMAIN: {
    says: 'The domain of payment addresses.',
    fallback: 'localhost',
    read: given =>
      given === '' || (isHostName(given) && isIP(given) === 0)
        ? text(given)
        : { wrong: 'must be a domain such as pay.shop.example' },
  },
  TILLBELL_MAIL_RELAY: { says: 'SMTP URL for mail out.', fallback: '', read: urlOf(['smtp:', 'smtps:']) },
  TILLBELL_MAIL_DKIM_KEY: {
    says: 'File of the RSA private key (PEM) that mail out is signed with (DKIM).',
    fallback: '',
    read: text,
  },
  TILLBELL_MAIL_DKIM_SELECTOR: {
    says: 'Where its public key is published: `<selector>._domainkey.<mail domain>`.',
    fallback: '',
    read: given => (given === '' || isHostName(given) ? text(given) : { wrong: 'must be a name such as tillbell' }),
  },
  TILLBELL_MAIL_INBOUND_SECRET: {
    says: `Shared secret of \`POST /mail/inbound\`; in live mode of at least ${secretCharsMin} characters.`,
    fallback: '',
    read: text,
  },
  TILLBELL_DNS: {
    says: "`address:port` of the resolver for hooks and mail authentication; the system's by default.",
    fallback: '',
    read: given =>
      given === '' || isAddressAndPort(given)
        ? text(given)
        : { wrong: 'must be an address and a port such as 127.0.0.1:53 or [::1]:53' },
  },
  TILLBELL_DATA: {
    says: 'The data folder.',
    fallback: './data',
    read: given => ({ value: resolve(given || './data') }),
  },
  TILLBELL_BASE_URL: {
    says: 'The address that customers and merchants use; `https` in live mode. By default host and port.',
    fallback: '',
    read: urlOf(['http:', 'https:']),
  },
  TILLBELL_ROLES: {
    says: 'What this process does, comma separated; `all` for everything.',
    fallback: 'all',
    read: given => {
      if (given === 'all') return { value: roles }
      const read = listOf(role => roles.find(known => known === role) ?? null, `of ${roles.join(', ')}`)(given)
      return 'value' in read && read.value.length === 0 ? { wrong: `must be all, or of ${roles.join(', ')}` } : read
    },
  },
  TILLBELL_SECRET_KEY: {
    says: '32 bytes in base64 that seal credentials and keys at rest. Required in live mode; the sandbox makes its own in the data folder. Several, comma separated, while one [takes the place of another](operations.md#another-secret-key): the first seals, each opens.',
    fallback: '',
    read: given => {
      if (given === '') return { value: null }
      const value = parseSecretKeys(given)
      return value === null
        ? { wrong: `must be 32 bytes in base64: ${makesKey}; up to 4 of them, comma separated` }
        : { value }
    },
  },
  TILLBELL_HOOKS_ALLOW: {
    says: 'Private addresses that hooks may go to, as CIDR, comma separated.',
    fallback: '',
    read: listOf(cidr, 'a list of CIDR ranges'),
  },
  TILLBELL_HOOKS_PROXY: { says: 'HTTP proxy that hooks go through.', fallback: '', read: urlOf(['http:', 'https:']) },
  TILLBELL_TRUSTED_PROXIES: {
    says: 'Proxies whose X-Forwarded-For is believed, and relays that bring everybody’s mail, as CIDR, comma separated.',
    fallback: '',
    read: listOf(cidr, 'a list of CIDR ranges'),
  },
  TILLBELL_TLS_CERT: { says: 'File of the TLS certificate chain (PEM).', fallback: '', read: text },
  TILLBELL_TLS_KEY: { says: 'File of its private key (PEM).', fallback: '', read: text },
  TILLBELL_REQUESTS_PER_S: {
    says: 'Requests per second and merchant.',
    fallback: '1000',
    read: wholeNumber(1, 1_000_000),
  },
  TILLBELL_REQUESTS_AT_ONCE: {
    says: 'REST requests that a process works on at once; half as many of pages, a quarter as many of the dashboard.',
    fallback: '256',
    read: wholeNumber(4, 100_000),
  },
  TILLBELL_CONNECTIONS_MAX: {
    says: 'HTTP connections that a process has at once.',
    fallback: '4096',
    read: wholeNumber(16, 1_000_000),
  },
  TILLBELL_LOG: { says: `Log level: ${logLevels.join(', ')}.`, fallback: 'info', read: oneOf(logLevels) },
  TILLBELL_RETENTION_KEYS_HOURS: {
    says: 'Idempotency keys are kept so long after they are settled.',
    fallback: '24',
    read: wholeNumber(24, 8_760),
  },
  TILLBELL_RETENTION_ANSWERS_DAYS: {
    says: 'Answers to hooks are kept so long.',
    fallback: '30',
    read: wholeNumber(1, 3_650),
  },
  TILLBELL_RETENTION_DETAILS_DAYS: {
    says: "Hooks' details and attempts are kept so long after they are settled.",
    fallback: '90',
    read: wholeNumber(1, 3_650),
  },
  TILLBELL_RETENTION_MAIL_DAYS: { says: 'Raw mail is kept so long.', fallback: '7', read: wholeNumber(1, 365) },
  TILLBELL_URL: {
    says: 'For `tillbell listen` and `tillbell trigger`: the address of the service that they speak to.',
    fallback: '',
    read: urlOf(['http:', 'https:']),
  },
  TILLBELL_API_KEY: { says: "For the same: a merchant's API key.", fallback: '', read: text },
  TILLBELL_API_SECRET: { says: 'For the same: its secret.', fallback: '', read: text },
  TILLBELL_PRIVATE_KEY: { says: "For `tillbell verify`: a merchant's Private Key.", fallback: '', read: text },
  DATABASE_URL: {
    says: 'Your own PostgreSQL (15 or newer), or several (`postgres://user@one,two/tillbell`) of which the one is used that takes writes; an embedded one by default.',
    fallback: '',
    read: postgresUrl,
  },
} as const satisfies { readonly [name: string]: Variable<unknown> }

type Read<Name extends keyof typeof variables> = Extract<
  ReturnType<(typeof variables)[Name]['read']>,
  { value: unknown }
>['value']

export type Config = ReturnType<typeof readConfig>

export function readConfig(environment: { readonly [name: string]: string | undefined }) {
  refuseUnknown(environment)
  const read = <Name extends keyof typeof variables>(name: Name): Read<Name> => {
    const { fallback, read } = variables[name] as Variable<Read<Name>>
    const result = read(environment[name] ?? fallback)
    if ('wrong' in result) throw new ConfigError(`${name} ${result.wrong}.`)
    return result.value
  }
  const config = {
    mode: read('TILLBELL_MODE'),
    host: read('TILLBELL_HOST') ?? '127.0.0.1',
    port: read('TILLBELL_PORT'),
    metricsHost: read('TILLBELL_METRICS_HOST') ?? '127.0.0.1',
    metricsPort: read('TILLBELL_METRICS_PORT'),
    mailPort: read('TILLBELL_MAIL_PORT'),
    mailDomain: read('TILLBELL_MAIL_DOMAIN') ?? 'localhost',
    mailRelay: read('TILLBELL_MAIL_RELAY'),
    mailDkimKey: read('TILLBELL_MAIL_DKIM_KEY'),
    mailDkimSelector: read('TILLBELL_MAIL_DKIM_SELECTOR'),
    mailInboundSecret: read('TILLBELL_MAIL_INBOUND_SECRET'),
    dns: read('TILLBELL_DNS'),
    dataFolder: read('TILLBELL_DATA'),
    baseUrl: read('TILLBELL_BASE_URL'),
    roles: read('TILLBELL_ROLES'),
    secretKeys: read('TILLBELL_SECRET_KEY'),
    hooksAllow: read('TILLBELL_HOOKS_ALLOW'),
    hooksProxy: read('TILLBELL_HOOKS_PROXY'),
    trustedProxies: read('TILLBELL_TRUSTED_PROXIES'),
    tlsCert: read('TILLBELL_TLS_CERT'),
    tlsKey: read('TILLBELL_TLS_KEY'),
    requestsPerS: read('TILLBELL_REQUESTS_PER_S'),
    requestsAtOnce: read('TILLBELL_REQUESTS_AT_ONCE'),
    connectionsMax: read('TILLBELL_CONNECTIONS_MAX'),
    logLevel: read('TILLBELL_LOG'),
    retention: {
      keysMs: read('TILLBELL_RETENTION_KEYS_HOURS') * 3_600_000,
      answersMs: read('TILLBELL_RETENTION_ANSWERS_DAYS') * dayMs,
      detailsMs: read('TILLBELL_RETENTION_DETAILS_DAYS') * dayMs,
      mailMs: read('TILLBELL_RETENTION_MAIL_DAYS') * dayMs,
    },
    remote: { url: read('TILLBELL_URL'), apiKey: read('TILLBELL_API_KEY'), apiSecret: read('TILLBELL_API_SECRET') },
    privateKey: read('TILLBELL_PRIVATE_KEY'),
    databaseUrl: read('DATABASE_URL'),
  }
  refuseContradictions(config)
  return Object.freeze(config)
}

/** A misspelt name would silently leave a default in force. */
function refuseUnknown(environment: { readonly [name: string]: string | undefined }): void {
  const unknown = Object.keys(environment).find(name => name.startsWith('TILLBELL_') && !(name in variables))
  if (unknown === undefined) return
  const prefix = 'TILLBELL_'
  const known = Object.keys(variables).flatMap(name => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []))
  const meant = nearest(unknown.slice(prefix.length).toUpperCase(), known)
  const hint = meant === null ? '' : `; ${prefix}${meant} is`
  throw new ConfigError(`${unknown} is not a variable that Tillbell knows${hint}.`)
}

function refuseContradictions(config: {
  mode: 'sandbox' | 'live'
  mailInboundSecret: string | null
  secretKeys: SecretKeys | null
  baseUrl: string | null
  tlsCert: string | null
  tlsKey: string | null
  mailDkimKey: string | null
  mailDkimSelector: string | null
}): void {
  if ((config.mailDkimKey === null) !== (config.mailDkimSelector === null)) {
    throw new ConfigError('TILLBELL_MAIL_DKIM_KEY and TILLBELL_MAIL_DKIM_SELECTOR go together: set both or none.')
  }
  if ((config.tlsCert === null) !== (config.tlsKey === null)) {
    throw new ConfigError('TILLBELL_TLS_CERT and TILLBELL_TLS_KEY go together: set both or none.')
  }
  if (config.mode === 'sandbox') return
  if (config.mailInboundSecret !== null && config.mailInboundSecret.length < secretCharsMin) {
    throw new ConfigError(`TILLBELL_MAIL_INBOUND_SECRET must have at least ${secretCharsMin} characters in live mode.`)
  }
  if (config.secretKeys === null) throw new ConfigError(`TILLBELL_SECRET_KEY is required in live mode: ${makesKey}.`)
  if (config.baseUrl === null || !config.baseUrl.startsWith('https:')) {
    throw new ConfigError('TILLBELL_BASE_URL must be an https URL in live mode.')
  }
}
