import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { describe, test } from 'node:test'
import { ConfigError, logLevels, readConfig, roles, variables } from './config.ts'

const secretKey = Buffer.alloc(32, 7).toString('base64')
const live = { TILLBELL_MODE: 'live', TILLBELL_SECRET_KEY: secretKey, TILLBELL_BASE_URL: 'https://pay.example' }

function refused(environment: { readonly [name: string]: string }): string {
  try {
    readConfig(environment)
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.message
  }
  return assert.fail(`${JSON.stringify(environment)} was accepted`)
}

test('without any variable the sandbox starts with its defaults', () => {
  assert.deepEqual(readConfig({ PATH: '/bin', HOME: '/root' }), {
    mode: 'sandbox',
    host: '127.0.0.1',
    port: 8080,
    metricsHost: '127.0.0.1',
    metricsPort: 9464,
    mailPort: 2525,
    mailDomain: 'localhost',
    mailRelay: null,
    mailDkimKey: null,
    mailDkimSelector: null,
    mailInboundSecret: null,
    dns: null,
    dataFolder: resolve('data'),
    baseUrl: null,
    roles: ['api', 'worker', 'mail', 'pages'],
    secretKeys: null,
    hooksAllow: [],
    hooksProxy: null,
    trustedProxies: [],
    tlsCert: null,
    tlsKey: null,
    requestsPerS: 1000,
    requestsAtOnce: 256,
    connectionsMax: 4096,
    logLevel: 'info',
    retention: { keysMs: 86_400_000, answersMs: 30 * 86_400_000, detailsMs: 90 * 86_400_000, mailMs: 7 * 86_400_000 },
    remote: { url: null, apiKey: null, apiSecret: null },
    privateKey: null,
    databaseUrl: null,
  })
})

test('what is set is read', () => {
  const config = readConfig({
    ...live,
    TILLBELL_HOST: '0.0.0.0',
    TILLBELL_PORT: '0',
    TILLBELL_METRICS_HOST: '10.0.0.1',
    TILLBELL_METRICS_PORT: '1',
    TILLBELL_MAIL_PORT: '65535',
    TILLBELL_MAIL_DOMAIN: 'pay.example',
    TILLBELL_MAIL_RELAY: 'smtps://user:word@relay.example:465',
    TILLBELL_MAIL_DKIM_KEY: '/dkim/key.pem',
    TILLBELL_MAIL_DKIM_SELECTOR: 'till-2026.pay',
    TILLBELL_MAIL_INBOUND_SECRET: 'inbound secret of 27 chars',
    TILLBELL_DNS: '127.0.0.1:5353',
    TILLBELL_DATA: '/var/lib/tillbell',
    TILLBELL_BASE_URL: 'https://pay.example/till/',
    TILLBELL_ROLES: 'api, worker',
    TILLBELL_HOOKS_ALLOW: '10.0.0.0/8, 192.168.1.1,fd00::/8,::1',
    TILLBELL_HOOKS_PROXY: 'http://proxy.example:3128',
    TILLBELL_TRUSTED_PROXIES: '172.16.0.0/12',
    TILLBELL_TLS_CERT: '/tls/cert.pem',
    TILLBELL_TLS_KEY: '/tls/key.pem',
    TILLBELL_REQUESTS_PER_S: '5',
    TILLBELL_REQUESTS_AT_ONCE: '64',
    TILLBELL_CONNECTIONS_MAX: '500',
    TILLBELL_LOG: 'debug',
    TILLBELL_RETENTION_KEYS_HOURS: '48',
    TILLBELL_RETENTION_ANSWERS_DAYS: '1',
    TILLBELL_RETENTION_DETAILS_DAYS: '2',
    TILLBELL_RETENTION_MAIL_DAYS: '3',
    TILLBELL_URL: 'https://pay.example/till/',
    TILLBELL_API_KEY: 'key_ada',
    TILLBELL_API_SECRET: 'secret_ada',
    TILLBELL_PRIVATE_KEY: 'private_ada',
    DATABASE_URL: 'postgres://tillbell@db.example/tillbell?sslmode=require',
  })
  assert.deepEqual(config, {
    mode: 'live',
    host: '0.0.0.0',
    port: 0,
    metricsHost: '10.0.0.1',
    metricsPort: 1,
    mailPort: 65_535,
    mailDomain: 'pay.example',
    mailRelay: 'smtps://user:word@relay.example:465',
    mailDkimKey: '/dkim/key.pem',
    mailDkimSelector: 'till-2026.pay',
    mailInboundSecret: 'inbound secret of 27 chars',
    dns: '127.0.0.1:5353',
    dataFolder: '/var/lib/tillbell',
    baseUrl: 'https://pay.example/till',
    roles: ['api', 'worker'],
    secretKeys: [Buffer.alloc(32, 7)],
    hooksAllow: ['10.0.0.0/8', '192.168.1.1/32', 'fd00::/8', '::1/128'],
    hooksProxy: 'http://proxy.example:3128',
    trustedProxies: ['172.16.0.0/12'],
    tlsCert: '/tls/cert.pem',
    tlsKey: '/tls/key.pem',
    requestsPerS: 5,
    requestsAtOnce: 64,
    connectionsMax: 500,
    logLevel: 'debug',
    retention: { keysMs: 48 * 3_600_000, answersMs: 86_400_000, detailsMs: 2 * 86_400_000, mailMs: 3 * 86_400_000 },
    remote: { url: 'https://pay.example/till', apiKey: 'key_ada', apiSecret: 'secret_ada' },
    privateKey: 'private_ada',
    databaseUrl: 'postgres://tillbell@db.example/tillbell?sslmode=require',
  })
})

const ports = {
  says: 'must be a whole number from 0 to 65535.',
  values: ['', 'x', '-1', '65536', '80.5', '1e3', ' 80', '0x50'],
}
const cidrs = {
  says: 'must be a list of CIDR ranges, not "',
  values: ['10.0.0.0/33', '10.0.0/8', 'localhost', '::/129', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/-1', '10.0.0.1,x'],
}
const days = (max: number) => ({
  says: `must be a whole number from 1 to ${max}.`,
  values: ['0', '', '-1', `${max + 1}`, '1.5', 'for ever'],
})
const webUrls = {
  says: 'must be a URL with http: or https:.',
  values: ['x', 'ftp://a', 'pay.example', '//a', 'https:a', ' http://a'],
}

/** Every variable that can be wrong: what it says, and values that make no sense. */
const nonsense: { readonly [name: string]: { readonly says: string; readonly values: readonly string[] } } = {
  TILLBELL_MODE: { says: 'must be one of sandbox, live.', values: ['', 'Live', 'production', ' live'] },
  TILLBELL_PORT: ports,
  TILLBELL_METRICS_PORT: ports,
  TILLBELL_MAIL_PORT: ports,
  TILLBELL_MAIL_DOMAIN: {
    says: 'must be a domain such as pay.shop.example.',
    values: [
      'not a domain',
      'pay.',
      '.pay',
      'pay@shop.example',
      '127.0.0.1',
      'pay.shop.example:25',
      'https://a.example',
    ],
  },
  TILLBELL_MAIL_RELAY: {
    says: 'must be a URL with smtp: or smtps:.',
    values: ['relay.example', 'http://a', 'relay:25', 'smtp:a'],
  },
  TILLBELL_MAIL_DKIM_SELECTOR: {
    says: 'must be a name such as tillbell.',
    values: ['a b', '_domainkey', '.a', 'a.', 'a..b', 'a;b=c', '-a', 'a-'],
  },
  TILLBELL_DNS: {
    says: 'must be an address and a port such as 127.0.0.1:53 or [::1]:53.',
    values: [
      '127.0.0.1',
      'a b:53',
      ':53',
      '1.1.1.1:',
      '1.1.1.1:99999',
      '1.1.1.1:0',
      'dns.example:53',
      '::1:53',
      '1.1.1:53',
    ],
  },
  TILLBELL_BASE_URL: webUrls,
  TILLBELL_ROLES: { says: 'must be ', values: ['', ',', 'apis', 'api,all', 'api,,x', 'API'] },
  TILLBELL_SECRET_KEY: {
    says: 'must be 32 bytes in base64: openssl rand -base64 32 makes one; up to 4 of them, comma separated.',
    values: [
      'x',
      secretKey.slice(4),
      `${secretKey}AAAA`,
      'ab'.repeat(32),
      `${secretKey},`,
      Array(5).fill(secretKey).join(),
    ],
  },
  TILLBELL_HOOKS_ALLOW: cidrs,
  TILLBELL_HOOKS_PROXY: webUrls,
  TILLBELL_URL: webUrls,
  TILLBELL_TRUSTED_PROXIES: cidrs,
  TILLBELL_REQUESTS_AT_ONCE: {
    says: 'must be a whole number from 4 to 100000.',
    values: ['0', '3', '', '100001', '-4'],
  },
  TILLBELL_CONNECTIONS_MAX: { says: 'must be a whole number from 16 to 1000000.', values: ['0', '15', '', 'all'] },
  TILLBELL_REQUESTS_PER_S: { says: 'must be a whole number from 1 to 1000000.', values: ['0', '', '1000001', 'many'] },
  TILLBELL_LOG: { says: `must be one of ${logLevels.join(', ')}.`, values: ['', 'verbose', 'INFO'] },
  TILLBELL_RETENTION_KEYS_HOURS: { says: 'must be a whole number from 24 to 8760.', values: ['23', '0', '8761', ''] },
  TILLBELL_RETENTION_ANSWERS_DAYS: days(3_650),
  TILLBELL_RETENTION_DETAILS_DAYS: days(3_650),
  TILLBELL_RETENTION_MAIL_DAYS: days(365),
  DATABASE_URL: {
    says: 'must be a URL with postgres: or postgresql:.',
    values: ['mysql://a', 'db.example', 'localhost:5432'],
  },
}

describe('a value that makes no sense is refused with a sentence that names it', () => {
  for (const [name, { says, values }] of Object.entries(nonsense)) {
    test(name, () => {
      for (const value of values) {
        const sentence = refused({ [name]: value })
        assert.ok(sentence.startsWith(`${name} ${says}`), `${JSON.stringify(value)}: ${sentence}`)
        assert.ok(sentence.endsWith('.'))
      }
    })
  }

  test('and every variable that is not free text is among these', () => {
    const names = [
      ...[
        'HOST',
        'METRICS_HOST',
        'MAIL_DKIM_KEY',
        'MAIL_INBOUND_SECRET',
        'DATA',
        'TLS_CERT',
        'TLS_KEY',
        'API_KEY',
        'API_SECRET',
      ],
      'PRIVATE_KEY',
    ]
    const freeText = names.map(name => `TILLBELL_${name}`)
    assert.deepEqual(Object.keys(variables).sort(), [...Object.keys(nonsense), ...freeText].sort())
  })

  test('but not the secret itself', () => {
    const secret = `${secretKey}AAAA`
    assert.ok(!refused({ TILLBELL_SECRET_KEY: secret }).includes(secret.slice(0, 8)))
  })
})

test('an unknown name is refused: a misspelt one would leave a default in force', () => {
  assert.equal(
    refused({ TILLBELL_PROT: '80' }),
    'TILLBELL_PROT is not a variable that Tillbell knows; TILLBELL_PORT is.',
  )
  assert.equal(refused({ TILLBELL_: '' }), 'TILLBELL_ is not a variable that Tillbell knows.')
  assert.equal(
    refused({ TILLBELL_port: '80' }),
    'TILLBELL_port is not a variable that Tillbell knows; TILLBELL_PORT is.',
  )
  assert.match(refused({ TILLBELL_MAILPORT: '80' }), /; TILLBELL_MAIL_PORT is\.$/)
  assert.equal(refused({ TILLBELL_NONSENSE: '' }), 'TILLBELL_NONSENSE is not a variable that Tillbell knows.')
})

test('empty text is as good as nothing where a variable may be left out', () => {
  const optional = [
    'HOST',
    'METRICS_HOST',
    'MAIL_DOMAIN',
    'MAIL_RELAY',
    'MAIL_INBOUND_SECRET',
    'DNS',
    'DATA',
    'BASE_URL',
    'SECRET_KEY',
  ]
  const more = [
    'MAIL_DKIM_KEY',
    'MAIL_DKIM_SELECTOR',
    'HOOKS_ALLOW',
    'HOOKS_PROXY',
    'TRUSTED_PROXIES',
    'TLS_CERT',
    'TLS_KEY',
  ]
  const empty = Object.fromEntries([...optional, ...more].map(name => [`TILLBELL_${name}`, '']))
  assert.deepEqual(readConfig({ ...empty, DATABASE_URL: '' }), readConfig({}))
})

describe('live mode', () => {
  test('needs a secret key and an https address', () => {
    assert.equal(readConfig(live).mode, 'live')
    const { TILLBELL_SECRET_KEY: _, ...noKey } = live
    assert.equal(refused(noKey), 'TILLBELL_SECRET_KEY is required in live mode: openssl rand -base64 32 makes one.')
    const { TILLBELL_BASE_URL: __, ...noUrl } = live
    assert.equal(refused(noUrl), 'TILLBELL_BASE_URL must be an https URL in live mode.')
    const plain = { ...live, TILLBELL_BASE_URL: 'http://pay.example' }
    assert.equal(refused(plain), 'TILLBELL_BASE_URL must be an https URL in live mode.')
    const short = { ...live, TILLBELL_MAIL_INBOUND_SECRET: 'x'.repeat(15) }
    assert.equal(refused(short), 'TILLBELL_MAIL_INBOUND_SECRET must have at least 16 characters in live mode.')
    assert.equal(readConfig({ TILLBELL_MAIL_INBOUND_SECRET: 'x' }).mailInboundSecret, 'x')
  })

  test('asks for neither in the sandbox', () => {
    assert.equal(readConfig({ TILLBELL_BASE_URL: 'http://localhost:8080' }).baseUrl, 'http://localhost:8080')
  })
})

test('a certificate and its key go together', () => {
  const sentence = 'TILLBELL_TLS_CERT and TILLBELL_TLS_KEY go together: set both or none.'
  assert.equal(refused({ TILLBELL_TLS_CERT: 'cert.pem' }), sentence)
  assert.equal(refused({ TILLBELL_TLS_KEY: 'key.pem' }), sentence)
  assert.equal(refused({ ...live, TILLBELL_TLS_KEY: 'key.pem' }), sentence)
  assert.equal(readConfig({ TILLBELL_TLS_CERT: 'c', TILLBELL_TLS_KEY: 'k' }).tlsCert, 'c')
})

test('the key that mails are signed with and its selector go together', () => {
  const sentence = 'TILLBELL_MAIL_DKIM_KEY and TILLBELL_MAIL_DKIM_SELECTOR go together: set both or none.'
  assert.equal(refused({ TILLBELL_MAIL_DKIM_KEY: 'key.pem' }), sentence)
  assert.equal(refused({ TILLBELL_MAIL_DKIM_SELECTOR: 'till' }), sentence)
})

test('keys are kept for 24 hours at least: merchants build on it', () => {
  assert.equal(readConfig({ TILLBELL_RETENTION_KEYS_HOURS: '24' }).retention.keysMs, 86_400_000)
  assert.match(refused({ TILLBELL_RETENTION_KEYS_HOURS: '23' }), /^TILLBELL_RETENTION_KEYS_HOURS must be/)
})

test('roles are all, or some', () => {
  assert.deepEqual(readConfig({ TILLBELL_ROLES: 'all' }).roles, roles)
  assert.deepEqual(readConfig({ TILLBELL_ROLES: 'worker' }).roles, ['worker'])
})

test('what was read cannot be changed', () => {
  const config = readConfig({})
  assert.throws(() => Object.assign(config, { mode: 'live' }), TypeError)
})

test('every variable says what it is for, and its default is accepted', () => {
  for (const [name, { says, fallback, read }] of Object.entries(variables)) {
    assert.match(says, /^.+\.$/s, name)
    assert.ok('value' in read(fallback), name)
  }
})
