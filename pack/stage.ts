// Lays out the package as it will be installed: the server's own folders, with JavaScript in place of TypeScript, which
// Node does not read below node_modules.

import { execFile } from 'node:child_process'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { buildDashboard } from '../dashboard/build.ts'
import { buildSdk } from '../sdk/build.ts'
import { buildReference } from '../server/build-reference.ts'
import { manifestFor } from './manifest.ts'

const root = join(import.meta.dirname, '..')
const server = join(root, 'server')
const compiler = join(root, 'node_modules/typescript/bin/tsc')

/** Fills an empty folder. */
export async function stage(folder: string): Promise<void> {
  const sdkFolder = join(folder, 'node_modules/@tillbell/sdk')
  await Promise.all([buildDashboard(), buildReference()])
  await Promise.all([
    compileInto(join(folder, 'src')),
    copyWhatCodeReads(join(folder, 'src')),
    copyDashboard(join(folder, 'dist/dashboard')),
    cp(join(server, 'dist/reference'), join(folder, 'dist/reference'), { recursive: true }),
    copyPrograms(join(folder, 'bin')),
    ...['docs', 'LICENSE'].map(name => cp(join(root, name), join(folder, name), { recursive: true })),
    // The repository's own tells how to start from the source.
    cp(join(import.meta.dirname, 'README.md'), join(folder, 'README.md')),
    buildSdk(sdkFolder),
  ])
  await describe(folder, sdkFolder)
}

/** Only what the commands and their threads lead to is compiled: no test, and nothing that only tests use. */
async function compileInto(folder: string): Promise<void> {
  await promisify(execFile)(process.execPath, [compiler, '-p', import.meta.dirname, '--outDir', folder])
}

/** Migrations, and the styles and scripts of pages. */
async function copyWhatCodeReads(folder: string): Promise<void> {
  const notRead = new Set(['.ts', '.md', '.json'])
  const filter = (path: string) => !notRead.has(extname(path)) && !path.endsWith('/schema.sql')
  await cp(join(server, 'src'), folder, { recursive: true, filter })
}

/** What was built of older sources, or is being built, may lie beside it. */
async function copyDashboard(folder: string): Promise<void> {
  const built = join(server, 'dist/dashboard')
  const stamp = await readFile(join(built, 'stamp'), 'utf8')
  for (const name of ['stamp', stamp]) await cp(join(built, name), join(folder, name), { recursive: true })
}

async function copyPrograms(folder: string): Promise<void> {
  await cp(join(server, 'bin'), folder, { recursive: true })
  const program = join(folder, 'tillbell.js')
  const text = await readFile(program, 'utf8')
  await writeFile(program, text.replace("'../src/cli/run.ts'", "'../src/cli/run.js'"))
}

async function describe(folder: string, sdkFolder: string): Promise<void> {
  const [own, repository, sdk] = await Promise.all(
    [server, root, sdkFolder].map(async each => JSON.parse(await readFile(join(each, 'package.json'), 'utf8'))),
  )
  const manifest = manifestFor(own, repository, sdk)
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}
