// The checks of the built package in the runtimes that it promises beside this Node. They are too large for every `npm ci`:
// the first run installs them, in a folder of their own.

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { bundledForEdge, installedProject } from './checks/install.ts'

const run = promisify(execFile)
const cache = join(import.meta.dirname, '../node_modules/.cache/tillbell-runtimes')
const checkTimeoutMs = 60_000

interface Runtime {
  readonly name: string
  readonly packageName: string
  readonly version: string
  /** The package that holds the program for this machine, and where in it: install scripts, which would link it, do not run. */
  readonly programs: RegExp
  readonly commands: readonly (readonly string[])[]
}

const nodePackage = `node-${process.platform}-${process.arch}`
const formats = [['checks/esm.mjs'], ['checks/cjs.cjs']]

const runtimes: readonly Runtime[] = [
  {
    name: 'Node 18',
    packageName: nodePackage,
    version: '18.20.8',
    programs: /^node-[^/]+\/bin\/node$/,
    commands: formats,
  },
  { name: 'Bun', packageName: 'bun', version: '1.4.4', programs: /^@oven\/bun-[^/]+\/bin\/bun$/, commands: formats },
  {
    ...{ name: 'Deno', packageName: 'deno', version: '2.9.6', programs: /^@deno\/[^/]+\/deno$/ },
    commands: formats.map(([file = '']) => ['run', '--allow-all', '--node-modules-dir=manual', file]),
  },
  {
    ...{ name: 'workerd', packageName: 'workerd', version: '1.20261104.1' },
    ...{ programs: /^@cloudflare\/workerd-[^/]+\/bin\/workerd$/, commands: [['test', 'workerd.capnp']] },
  },
]

/** One worker, made of the one file that a bundler made; without Node's modules, which it can be told to have. */
const workerdConfig = `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (services = [(name = "check", worker = .check)]);
const check :Workerd.Worker = (
  modules = [(name = "edge", esModule = embed "edge.esm.mjs")],
  compatibilityDate = "2024-09-01",
);
`

let folder: string
let project: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tillbell-runtimes-'))
  project = await installedProject(folder)
  await bundledForEdge(project, 'esm')
  await writeFile(join(project, 'workerd.capnp'), workerdConfig)
})
after(() => rm(folder, { recursive: true, force: true }))

for (const runtime of runtimes) {
  for (const args of runtime.commands) {
    test(`${runtime.name} ${runtime.version}: ${args.at(-1)}`, async () => {
      await run(await installed(runtime), args, { cwd: project, timeout: checkTimeoutMs })
    })
  }
}

async function installed({ name, packageName, version, programs }: Runtime): Promise<string> {
  const folder = join(cache, `${packageName}-${version}`)
  const found = await programIn(folder, programs)
  if (found !== null) return found
  await mkdir(folder, { recursive: true })
  await run('npm', ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', `${packageName}@${version}`])
  return (await programIn(folder, programs)) ?? missing(name)
}

async function programIn(folder: string, programs: RegExp): Promise<string | null> {
  const modules = join(folder, 'node_modules')
  const names = await readdir(modules, { recursive: true }).catch(() => [])
  const name = names.find(each => programs.test(each))
  return name === undefined ? null : join(modules, name)
}

function missing(name: string): never {
  throw new Error(`npm has no ${name} for ${process.platform} on ${process.arch}.`)
}
