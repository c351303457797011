// The commands of the README and of the quick start, run word by word in a fresh copy, so that they cannot rot.

import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { signDetails } from '@tillbell/sdk'
import { freePort } from './support/free-port.ts'
import { until } from './support/until.ts'

const root = resolve(import.meta.dirname, '../..')
const leftOut = new Set(['node_modules', 'data', 'dist', '.git'])
const run = promisify(execFile)
const copy = await mkdtemp(join(tmpdir(), 'tillbell-readme-'))
after(() => rm(copy, { recursive: true, force: true }))
await chmod(copy, 0o711) // as root, its database runs as another user and must get through
await cp(root, copy, { recursive: true, filter: path => !leftOut.has(basename(path)) })
const [readme, quickStart] = [await blocksOf('README.md'), await blocksOf('docs/quick-start.md')]
const hasCurl = spawnSync('curl', ['--version']).error === undefined

/** By language; '' is what is shown, not run. */
async function blocksOf(page: string): Promise<(language: string) => string[]> {
  const text = await readFile(join(copy, page), 'utf8')
  const blocks = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
  return language => blocks.filter(([, named]) => named === language).map(([, , block = '']) => block)
}

/** A user's shell: none of this run's own variables, and free ports, so that a service of theirs may be running. */
function environment(): NodeJS.ProcessEnv {
  const { TEST_DATABASE_URL: _, NODE_TEST_CONTEXT: __, ...inherited } = process.env
  // npm puts its own folders first in PATH; a user's shell does not have them.
  const path = (inherited.PATH ?? '').split(':').filter(folder => !folder.includes('node_modules'))
  return { ...inherited, PATH: path.join(':'), TILLBELL_PORT: '0', TILLBELL_METRICS_PORT: '0', TILLBELL_MAIL_PORT: '0' }
}

/** What `npm ci` has brought here already: whoever runs this has just done so. Linked where it can be, it takes no time. */
async function install(): Promise<void> {
  const [from, to] = [join(root, 'node_modules'), join(copy, 'node_modules')]
  await run('cp', ['-al', from, to]).catch(async () => {
    await rm(to, { recursive: true, force: true })
    await cp(from, to, { recursive: true, verbatimSymlinks: true })
  })
}

/** What a terminal of the user's runs until Ctrl-C. */
interface Terminal {
  printed(): string
  says(sentence: string | RegExp, withinMs?: number): Promise<void>
  interrupt(): Promise<void>
}

const terminals: Terminal[] = []
after(() => Promise.all(terminals.map(terminal => terminal.interrupt())))

function inTerminal(line: string): Terminal {
  const child = spawn('sh', ['-c', line], {
    cwd: copy,
    env: environment(),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', chunk => {
      printed += chunk
    })
  }
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  const terminal: Terminal = {
    printed: () => printed,
    says: (sentence, withinMs = 20_000) =>
      until(
        `${line} says ${sentence}`,
        async () => {
          assert.ok(!isOver(), printed)
          return typeof sentence === 'string' ? printed.includes(sentence) : sentence.test(printed)
        },
        withinMs,
      ).catch(error => assert.fail(`${error.message}\n${printed}`)),
    async interrupt() {
      if (!isOver() && child.pid !== undefined) process.kill(-child.pid, 'SIGINT')
      await ended
    },
  }
  terminals.push(terminal)
  return terminal
}

const asUser = (script: string) => run('sh', ['-ec', script], { cwd: copy, env: environment() })

test('the README starts it, charges, repeats, refunds, lists and sees a hook arrive', { timeout: 240_000 }, async t => {
  if (!hasCurl) return t.skip('curl is not installed')
  const [start = '', ...rest] = readme('sh')
  assert.equal(start, 'npm ci && npm start\n')
  await install()
  const service = inTerminal('npm start')
  await service.says('Ctrl-C stops', 120_000)

  const [, line = ''] = /^ {2}(curl .*)$/m.exec(service.printed()) ?? []
  assert.match((await asUser(`${line} -s`)).stdout, /"status": "Successful"/)

  const goesOn = (text: string) => text.includes('tillbell listen')
  const { stdout } = await asUser(rest.filter(text => !text.includes('npm test') && !goesOn(text)).join('\n'))
  assert.match(stdout, /"status": "Successful"/)
  assert.match(stdout, /the same answer, one charge/)
  assert.match(stdout, /"refunded_by": "office"/)
  assert.match(stdout, /"status": "Partially Refunded"/)
  assert.match(stdout, /"verified": true,\s+"details": \{\s+"type": "success"/)

  await followQuickStart()
  await receiveAsTheReadmeDoes(rest.find(goesOn) ?? '')

  await service.interrupt()
  const left = await readdir(join(copy, 'data', 'postgres')).catch((): string[] => [])
  assert.ok(!left.includes('postmaster.pid'), 'its database is stopped too')
})

/** On the service that the README has started, as the first step would. */
async function followQuickStart(): Promise<void> {
  const page = await readFile(join(copy, 'docs/quick-start.md'), 'utf8')
  const [start, runApp = '', listen = '', trigger = ''] = quickStart('sh')
  assert.equal(start, 'npm ci && npm start\n')
  const port = await freePort()
  const elsewhere = (text: string) => text.replaceAll('3000', String(port))
  const [app = ''] = quickStart('js')
  const [shown = ''] = quickStart('')
  await writeFile(join(copy, 'app.mjs'), elsewhere(app))
  const receiver = inTerminal(elsewhere(runApp))
  await receiver.says(`Waiting for hooks on port ${port}.`)
  const listener = inTerminal(elsewhere(listen))
  await listener.says('Ctrl-C')
  await asUser(trigger)
  await receiver.says(shown)
  await receiver.interrupt()
  await assert.rejects(asUser(trigger), { code: 1 })
  const restarted = inTerminal(elsewhere(runApp))
  await restarted.says(`Waiting for hooks on port ${port}.`)
  const [, advance = '', late = ''] = /`(npx tillbell clock advance [^`]+)`[^`]+`(Not paid: [^`]+)`/.exec(page) ?? []
  assert.ok(advance !== '' && late !== '', 'step 5 says what comes when the application is back')
  await asUser(advance)
  await restarted.says(late)
  await listener.interrupt()
  await restarted.interrupt()
}

/** Its route, in the smallest server that has one. */
const serverOfReadme = `
  import { createServer } from 'node:http'
  import { receive } from './readme-receive.ts'
  const handle = receive(process.env.TILLBELL_PRIVATE_KEY)
  createServer(async (request, response) => {
    const { url, method, headers } = request
    const hook = new Request('http://localhost' + url, { method, headers, body: request, duplex: 'half' })
    response.writeHead((await handle(hook)).status).end()
  }).listen(3000, () => console.log('The route is there.'))
`

async function receiveAsTheReadmeDoes(block: string): Promise<void> {
  const [listen = '', trigger = ''] = block.trim().split('\n')
  const [, runApp = ''] = quickStart('sh')
  const port = await freePort()
  const elsewhere = (text: string) => text.replaceAll('3000', String(port))
  await writeFile(join(copy, 'readme-receive.ts'), readme('ts')[0] ?? '')
  await writeFile(join(copy, 'readme-app.mjs'), elsewhere(serverOfReadme))
  const receiver = inTerminal(runApp.replace('app.mjs', 'readme-app.mjs'))
  await receiver.says('The route is there.')
  const listener = inTerminal(elsewhere(listen))
  await listener.says('Ctrl-C')
  await asUser(trigger)
  await receiver.says('Ada Lovelace has paid 25.00.')
  await listener.interrupt()
  await receiver.interrupt()
}

test('the README receives a hook, and believes only an authentic one', async t => {
  const [receiver = ''] = readme('ts')
  const file = join(root, 'server', 'test', `readme-${process.pid}.ts`)
  await writeFile(file, receiver)
  try {
    const { receive } = await import(file)
    const post = (signature: string) => {
      const body = new URLSearchParams({ details, signature })
      return receive('key')(new Request('https://shop.example/hooks/transaction', { method: 'POST', body }))
    }
    const details = JSON.stringify({ type: 'success', name: 'Ada', amount: '100.00' })
    const said = t.mock.method(console, 'log', () => {})
    t.mock.method(console, 'error', () => {})
    assert.equal((await post(signDetails(details, 'another key'))).status, 403)
    assert.equal((await post(signDetails(details, 'key'))).status, 200)
    assert.deepEqual(
      said.mock.calls.map(call => call.arguments),
      [['Ada has paid 100.00.']],
    )
  } finally {
    await rm(file)
  }
})

test("CI runs the README's test command", async () => {
  const command =
    readme('sh')
      .find(text => text.includes('npm test'))
      ?.trim() ?? ''
  const ci = await readFile(join(copy, '.ci/run'), 'utf8')
  assert.equal(ci.trim().split('\n').at(-1), command)
})
