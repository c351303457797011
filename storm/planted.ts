// npm run storm:planted [-- --minutes N --times T]: whether the storm finds what it is there for. Each of three mistakes that a payment service can
// make is planted in a copy of this project, and every storm over that copy must find what the mistake does.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

interface Mistake {
  readonly name: string
  readonly file: string
  readonly changes: readonly (readonly [from: string, to: string])[]
  /** A finding that only this mistake explains. */
  readonly shows: RegExp
}

const mistakes: readonly Mistake[] = [
  {
    name: 'results are written without fencing',
    file: 'server/src/store/attempt-results.ts',
    changes: [
      ['d.attempts = r.made and d.resend_at is null', 'd.resend_at is null'],
      ['and d.attempts = r.made\n', ''],
      [
        'function isInHand(sql: Scope, holder: WorkerId) {',
        'function isInHand(sql: Scope, holder: WorkerId) {\n  if (holder.length > 0) return sql`true`',
      ],
    ],
    shows: /dropped after 1[1-9] attempts|attempts of the schedule, and \d+ were made|too early for attempt/,
  },
  {
    name: 'a charge is sent before its row is committed',
    file: 'server/src/core/begin-charge.ts',
    changes: [
      ['askFirst(ports, sale, preSale, cardRef, signal)', 'askFirst(ports, sale, preSale, cardRef, signal, gateway)'],
      ['  askBy: AbortSignal,\n', '  askBy: AbortSignal,\n  gateway: Gateway,\n'],
      [
        '  const committed = await ports.store.commit(step.change)\n',
        '  if (step.operation !== null) await gateway.send(requestFor(step.sale, step.operation), deadline)\n  const committed = await ports.store.commit(step.change)\n',
      ],
      ['import { commitMs, ', "import type { Gateway } from './gateway.ts'\nimport { requestFor, commitMs, "],
    ],
    shows: /at the gateway, not here: charge/,
  },
  {
    name: 'what was sent without an answer is taken for failed',
    file: 'server/src/core/call-gateway.ts',
    changes: [
      [
        'provenBy(held, outcome, now)',
        "provenBy(held, outcome.kind === 'unknown' ? { kind: 'not_sent', code: 'gateway_not_reached', cause: 'No answer.' } : outcome, now)",
      ],
    ],
    shows: /at the gateway, not here: /,
  },
]

const root = join(import.meta.dirname, '..')
const { values } = parseArgs({ options: { minutes: { type: 'string' }, times: { type: 'string' } } })
const minutes = values.minutes ?? '2'
const times = Number(values.times ?? 3)

async function copyWith({ file, changes }: Mistake): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tillbell-planted-'))
  const files = execFileSync('git', ['ls-files', 'server', 'sdk', 'storm', 'package.json', 'tsconfig.json'], {
    cwd: root,
  })
  for (const name of files.toString().trim().split('\n')) await cp(join(root, name), join(folder, name))
  for (const modules of ['node_modules', 'server/node_modules']) {
    await symlink(join(root, modules), join(folder, modules)).catch(() => {})
  }
  let text = await readFile(join(folder, file), 'utf8')
  for (const [from, to] of changes) {
    if (text.split(from).length !== 2) throw new Error(`${file} does not have this once: ${from}`)
    text = text.replace(from, () => to)
  }
  await writeFile(join(folder, file), text)
  return folder
}

/** What the storm said. */
async function stormOver(folder: string): Promise<string> {
  const child = spawn(process.execPath, ['storm/run.ts', '--minutes', minutes], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const chunks: Buffer[] = []
  for await (const chunk of child.stdout) chunks.push(chunk)
  await exited
  return Buffer.concat(chunks).toString()
}

/** Whether the storm showed what the mistake does. */
async function isFound(mistake: Mistake, folder: string): Promise<boolean> {
  const said = await stormOver(folder)
  const findings = said.split('\n').filter(line => line.startsWith('FINDING'))
  const telling = findings.filter(line => mistake.shows.test(line))
  const [first = 'NOT FOUND'] = telling
  process.stdout.write(
    `${mistake.name}: ${telling.length} of ${findings.length} findings show it\n  ${/seed [0-9]+/.exec(said)?.[0]}; ${first.slice(0, 200)}\n`,
  )
  return telling.length > 0
}

let areAllFound = true
for (const mistake of mistakes) {
  const folder = await copyWith(mistake)
  for (let time = 0; time < times; time++) areAllFound = (await isFound(mistake, folder)) && areAllFound
  await rm(folder, { recursive: true, force: true })
}
process.exitCode = areAllFound ? 0 : 1
