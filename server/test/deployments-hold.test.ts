// The files of deploy/, held against the program they start: every name, port, path and time in them is one of ours, and what
// they set is a configuration that it takes.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parseEnv } from 'node:util'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig, roles, variables } from '../src/config.ts'
import { usualClosing } from '../src/http/closing.ts'
import { createAuthority } from './support/certificates.ts'
import { emptyFolder } from './support/temporary-folder.ts'

const root = join(import.meta.dirname, '../..')
const deploy = join(root, 'deploy')
const read = (name: string) => readFileSync(join(deploy, name), 'utf8')
const defaults = readConfig({})
const secrets = `DATABASE_URL=postgres://a:b@c/d\nTILLBELL_SECRET_KEY=${Buffer.alloc(32, 7).toString('base64')}`

/** How long the service may take to finish what is in flight. */
const stopMaxS = usualClosing.answerWithinMs / 1_000

interface Named {
  readonly name: string
  readonly value?: string
}

const kubernetes = readdirSync(join(deploy, 'kubernetes')).filter(name => name.endsWith('.yaml'))
const objects = kubernetes.flatMap(name =>
  parseAllDocuments(read(`kubernetes/${name}`)).map(document => {
    assert.deepEqual(document.errors, [], name)
    return document.toJS()
  }),
)
const ofKind = (kind: string) => objects.filter(object => object.kind === kind)
const pods = [...ofKind('Deployment'), ...ofKind('Job')].map(({ metadata, spec }) => ({
  name: metadata.name,
  labels: spec.template.metadata.labels,
  spec: spec.template.spec,
  container: spec.template.spec.containers[0],
}))

/** The instructions of a Dockerfile, with lines that go on joined. */
const instructions = read('Dockerfile')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter(line => /^[A-Z]/.test(line))
  .map(line => ({ word: line.split(' ')[0] ?? '', rest: line.slice(line.indexOf(' ') + 1) }))
const instructionsOf = (word: string) => instructions.filter(each => each.word === word).map(({ rest }) => rest)

function imageEnvironment(): { [name: string]: string } {
  return Object.fromEntries(instructionsOf('ENV').flatMap(rest => rest.split(' ').map(pair => pair.split('='))))
}

test('every variable that is named is one that Tillbell knows', () => {
  const files = readdirSync(deploy, { recursive: true, encoding: 'utf8' }).filter(name => /\w\.?\w*$/.test(name))
  const texts = files.filter(name => !name.startsWith('secrets') && statSync(join(deploy, name)).isFile())
  const named = texts.flatMap(name => read(name).match(/\bTILLBELL_[A-Z_]+\b/g) ?? [])
  assert.ok(named.length > 20, 'variables are seen')
  assert.deepEqual(
    [...new Set(named)].filter(name => !(name in variables)),
    [],
  )
})

test('the image runs the package, as nobody in particular, and listens where it says', () => {
  for (const source of instructionsOf('COPY').filter(rest => !rest.startsWith('--from='))) {
    for (const path of source.split(' ').slice(0, -1)) assert.ok(existsSync(join(root, path)), path)
  }
  const { workspaces, scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const described = instructionsOf('COPY').join(' ')
  for (const each of workspaces) assert.ok(described.includes(`${each}/package.json`), `${each} is a workspace`)
  for (const [, script = ''] of instructionsOf('RUN')
    .join('\n')
    .matchAll(/npm run (\w+)/g))
    assert.ok(script in scripts)
  assert.match(instructionsOf('USER').at(-1) ?? '', /^[1-9]\d*:[1-9]\d*$/)
  const { bin } = JSON.parse(readFileSync(join(root, 'server/package.json'), 'utf8'))
  const entry = JSON.parse(instructionsOf('ENTRYPOINT')[0] ?? '')
  assert.equal(entry.at(-1), `/opt/tillbell/${bin.tillbell}`)
  assert.deepEqual(
    instructionsOf('FROM').filter(from => !/^(node:24-\S+|described)( AS \w+)?$/.test(from)),
    [],
  )
  const config = readConfig(onlyOurs(imageEnvironment()))
  const ports = [config.port, config.metricsPort, config.mailPort]
  assert.deepEqual(instructionsOf('EXPOSE')[0]?.split(' ').map(Number), ports)
  assert.deepEqual([config.host, config.metricsHost], ['0.0.0.0', '127.0.0.1'])
  assert.deepEqual(instructionsOf('VOLUME'), [config.dataFolder])
})

function onlyOurs(environment: { readonly [name: string]: string | undefined }) {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => name in variables))
}

test('the image is healthy where the service answers, with its own certificate too, and not where it does not', async t => {
  const [, command = '[]'] = instructionsOf('HEALTHCHECK')[0]?.split(' CMD ') ?? []
  const [, ...words] = JSON.parse(command)
  const asked = async (server: Server, environment: { readonly [name: string]: string }) => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    t.after(() => server.close())
    const env = { TILLBELL_PORT: String((server.address() as AddressInfo).port), ...environment }
    const [code] = await once(spawn(process.execPath, words, { env, stdio: 'ignore' }), 'exit')
    return code
  }
  const says =
    (status: number): RequestListener =>
    ({ url }, response) =>
      void response.writeHead(url === '/healthz' ? status : 404).end()
  const { cert, key } = createAuthority('nobody').issue('pay.shop.example')
  const codes = [
    await asked(createServer(says(200)), {}),
    await asked(createTlsServer({ cert, key }, says(200)), { TILLBELL_TLS_CERT: '/tls/chain.pem' }),
    await asked(createServer(says(503)), {}),
    await asked(createServer(says(200)), { TILLBELL_TLS_CERT: '/tls/chain.pem' }),
  ]
  assert.deepEqual(codes, [0, 0, 1, 1])
})

test('the image is made without what is secret or not needed', () => {
  const ignored = read('Dockerfile.dockerignore').trim().split('\n')
  for (const each of ['**/node_modules', '**/data', '.git', 'deploy/secrets']) assert.ok(ignored.includes(each), each)
  const unkept = readFileSync(join(root, '.gitignore'), 'utf8').trim().split('\n')
  for (const each of ['deploy/secrets/', 'deploy/kubernetes/secret.yaml']) assert.ok(unkept.includes(each), each)
})

test('compose starts what is configured, after its database, and lets it finish', () => {
  const { services, secrets: files, volumes } = parse(read('compose.yaml'))
  const { tillbell, database } = services
  assert.ok(existsSync(join(deploy, tillbell.build.context, tillbell.build.dockerfile)))
  const config = readConfig(onlyOurs({ ...imageEnvironment(), ...parseEnv(secrets), ...tillbell.environment }))
  const ports = [config.port, config.metricsPort, config.mailPort]
  assert.deepEqual(
    tillbell.ports,
    ports.map(port => `127.0.0.1:${port}:${port}`),
  )
  // What listens on loopback inside of a container is not reached through a published port.
  assert.deepEqual([config.host, config.metricsHost], ['0.0.0.0', '0.0.0.0'])
  assert.equal(config.baseUrl, `http://localhost:${config.port}`)
  assert.equal(tillbell.volumes[0], `data:${config.dataFolder}`)
  assert.deepEqual(Object.keys(volumes), ['data', 'database'])
  const [{ source, target }] = tillbell.secrets
  assert.ok(source in files && instructionsOf('ENTRYPOINT')[0]?.includes(`=/run/secrets/${target}"`))
  assert.ok(Number.parseInt(tillbell.stop_grace_period, 10) > stopMaxS + 10)
  assert.deepEqual([tillbell.read_only, tillbell.cap_drop], [true, ['ALL']])
  assert.equal(tillbell.depends_on.database.condition, 'service_healthy')
  assert.equal(database.environment.POSTGRES_PASSWORD_FILE, `/run/secrets/${database.secrets[0]}`)
})

test('the secrets that are made are those that compose reads, and are never replaced', async t => {
  if (spawnSync('openssl', ['version']).error !== undefined) return t.skip('openssl is not installed')
  const { services, secrets: files } = parse(read('compose.yaml'))
  const folder = join(await emptyFolder(t), 'secrets')
  const make = () => spawnSync(join(deploy, 'new-secrets.sh'), [folder], { encoding: 'utf8' })
  assert.equal(make().status, 0)
  const made = Object.values<{ file: string }>(files).map(({ file }) => join(folder, file.replace('./secrets/', '')))
  const texts = () => made.map(file => readFileSync(file, 'utf8'))
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
  // The image's user is another than whoever made them; the database's image reads its own as root.
  assert.deepEqual([folder, ...made].map(modeOf), ['700', '644', '600'])
  const [settings = '', password = ''] = texts()
  const config = readConfig({ ...parseEnv(settings), TILLBELL_MODE: 'live', TILLBELL_BASE_URL: 'https://a.example' })
  const url = new URL(config.databaseUrl ?? '')
  const { POSTGRES_USER, POSTGRES_DB } = services.database.environment
  assert.deepEqual([url.username, url.pathname, url.password], [POSTGRES_USER, `/${POSTGRES_DB}`, password])
  assert.ok(url.hostname in services && password.length >= 32)
  assert.notEqual(make().status, 0)
  assert.deepEqual(texts(), [settings, password])
})

test('in Kubernetes each pod has a configuration that it takes, and together they play every role', () => {
  const [settings] = ofKind('ConfigMap')
  const template = ofKind('Secret')[0].stringData['tillbell.env'].replace(
    '32_BYTES_IN_BASE64',
    parseEnv(secrets).TILLBELL_SECRET_KEY,
  )
  const played = pods.flatMap(({ name, container }) => {
    const own = Object.fromEntries((container.env ?? []).map((each: Named) => [each.name, each.value]))
    const config = readConfig(onlyOurs({ ...imageEnvironment(), ...parseEnv(template), ...settings.data, ...own }))
    assert.deepEqual([config.mode, config.metricsHost], ['live', '0.0.0.0'])
    assert.deepEqual(container.envFrom, [{ configMapRef: { name: settings.metadata.name } }])
    for (const port of container.ports ?? []) {
      const listens: { [name: string]: number } = {
        http: config.port,
        metrics: config.metricsPort,
        smtp: config.mailPort,
      }
      assert.equal(port.containerPort, listens[port.name], `${name} ${port.name}`)
    }
    return name === 'tillbell-migrate' ? [] : config.roles
  })
  assert.deepEqual(played.sort(), [...roles].sort())
  assert.deepEqual(pods.find(({ name }) => name === 'tillbell-migrate')?.container.args, ['migrate'])
})

test('in Kubernetes no pod may do more than it needs, and each is asked how it is and may finish', () => {
  for (const { name, spec, container } of pods) {
    assert.equal(spec.enableServiceLinks, false, `${name}: TILLBELL_…_PORT of a service would stop the start`)
    assert.equal(spec.automountServiceAccountToken, false, name)
    assert.deepEqual([spec.securityContext.runAsNonRoot, spec.securityContext.runAsUser], [true, 1_000], name)
    assert.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    assert.ok(container.resources.requests.memory && container.resources.limits.memory, name)
    const paths = container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath)
    assert.deepEqual(paths, ['/run/secrets', instructionsOf('VOLUME')[0]])
  }
  for (const { name, spec, container } of pods.filter(pod => pod.name !== 'tillbell-migrate')) {
    assert.ok(spec.terminationGracePeriodSeconds > stopMaxS + 10, name)
    const asked = ['startupProbe', 'livenessProbe', 'readinessProbe'].map(probe => container[probe].httpGet)
    assert.deepEqual(
      asked,
      ['/healthz', '/healthz', '/readyz'].map(path => ({ path, port: 'http' })),
    )
  }
})

test('in Kubernetes what refers to another finds it', () => {
  const { resources } = ofKind('Kustomization')[0]
  const applied = kubernetes.filter(name => !['kustomization.yaml', 'secret.example.yaml'].includes(name))
  assert.deepEqual([...resources].sort(), applied.sort())
  for (const { metadata, spec } of [...ofKind('Service'), ...ofKind('PodDisruptionBudget'), ...ofKind('Deployment')]) {
    const selector = spec.selector.matchLabels ?? spec.selector
    const found = pods.filter(({ labels }) => Object.entries(selector).every(([name, value]) => labels[name] === value))
    assert.equal(found.length, 1, metadata.name)
    for (const port of spec.ports ?? []) {
      assert.ok(
        found[0]?.container.ports.some(({ name }: Named) => name === port.targetPort),
        metadata.name,
      )
    }
  }
  const { service } = ofKind('Ingress')[0].spec.rules[0].http.paths[0].backend
  const [target] = ofKind('Service').filter(({ metadata }) => metadata.name === service.name)
  assert.ok(target.spec.ports.some(({ name }: Named) => name === service.port.name))
})

/** The lines of a unit, by name. */
function unitOf(text: string): Map<string, string> {
  return new Map(text.match(/^\w+=.*$/gm)?.map(line => [line.split('=')[0] ?? '', line.slice(line.indexOf('=') + 1)]))
}

test('the unit is one that systemd takes, hardened, and lets it finish', async t => {
  const text = read('tillbell.service')
  const unit = unitOf(text)
  assert.ok(Number(unit.get('TimeoutStopSec')) > stopMaxS + 10)
  for (const name of ['NoNewPrivileges', 'DynamicUser', 'ProtectHome', 'PrivateTmp'])
    assert.equal(unit.get(name), 'yes', name)
  assert.deepEqual([unit.get('ProtectSystem'), unit.get('CapabilityBoundingSet')], ['strict', ''])
  // V8 writes code and runs it.
  assert.equal(unit.has('MemoryDenyWriteExecute'), false)
  assert.equal(unit.get('Environment')?.endsWith(`TILLBELL_DATA=%S/${unit.get('StateDirectory')}`), true)
  await t.test('as systemd-analyze says', within => verifiedBySystemd(within, text))
})

async function verifiedBySystemd(t: TestContext, text: string): Promise<void> {
  if (spawnSync('systemd-analyze', ['--version']).error !== undefined) return t.skip('systemd is not installed')
  const file = join(await emptyFolder(t), 'tillbell.service')
  writeFileSync(file, text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
  // It says what it does not understand, and ends well.
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })
  assert.deepEqual([status, stderr.split('\n').filter(line => line.includes('tillbell.service'))], [0, []])
}

test('proxies lead to the port, wait for a payment, and send none twice', () => {
  const nginx = read('nginx.conf')
  const ingress = ofKind('Ingress')[0].metadata.annotations
  const caddy = read('Caddyfile')
  const at = `127.0.0.1:${defaults.port}`
  assert.ok(nginx.includes(`server ${at};`) && caddy.includes(`reverse_proxy ${at} {`))
  const waits = [
    /proxy_read_timeout (\d+)s;/.exec(nginx)?.[1],
    ingress['nginx.ingress.kubernetes.io/proxy-read-timeout'],
    /response_header_timeout (\d+)s/.exec(caddy)?.[1],
  ]
  for (const waitS of waits) assert.ok(Number(waitS) > stopMaxS)
  assert.match(nginx, /proxy_next_upstream off;/)
  assert.equal(ingress['nginx.ingress.kubernetes.io/proxy-next-upstream'], 'off')
  assert.doesNotMatch(caddy, /lb_retries|lb_try_duration|trusted_proxies/)
})
