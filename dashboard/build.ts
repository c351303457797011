// Builds the dashboard where its sources have changed since it was last built: `server/dist/dashboard/stamp` says of which
// sources, and names the folder beside it that holds the files. Several processes may build at once: each builds in a folder
// of its own, and the last step is a rename.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const here = import.meta.dirname
const root = join(here, '..')
const builds = join(root, 'server/dist/dashboard')
const stampFile = join(builds, 'stamp')
/** What is smaller fits one packet either way. */
const compressedFromBytes = 1_000
/** A build under way may be that old; what is older was left by one that died. */
const buildMaxMs = 600_000

/** Vite is loaded only where there is something to build: loading it takes longer than all the rest of a start. */
export async function buildDashboard(): Promise<void> {
  const stamp = stampOfSources()
  if ((await builtStamp()) === stamp) return
  const vite = await import('vite').catch(notInstalled)
  if (vite === null) return
  const startedAt = performance.now()
  const environment = process.env.NODE_ENV
  await mkdir(builds, { recursive: true })
  const building = await mkdtemp(join(builds, 'building-'))
  try {
    const configFile = join(here, 'vite.config.ts')
    await vite.build({ configFile, logLevel: 'warn', build: { outDir: building, emptyOutDir: true } })
    await compressIn(building)
    await putInPlace(building, stamp)
  } finally {
    await rm(building, { recursive: true, force: true })
    setNodeEnv(environment)
  }
  process.stdout.write(`Built the dashboard in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.\n`)
}

/** What builds it is for development: the service starts without, and says at /dashboard what is missing. */
function notInstalled(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  process.stderr.write(`The dashboard is not built, or not anew: ${whatBuilds} Everything else starts.\n`)
  return null
}

const whatBuilds = 'what builds it is not installed (npm ci without --omit=dev installs it; npm run build builds it).'

/** Vite leaves `production` there, and an npm that is started later would install no tools. */
function setNodeEnv(value: string | undefined): void {
  if (value === undefined) delete process.env.NODE_ENV
  else process.env.NODE_ENV = value
}

async function builtStamp(): Promise<string | null> {
  return readFile(stampFile, 'utf8').catch(() => null)
}

function stampOfSources(): string {
  const files = [here, join(root, 'server/src/console/contract')].flatMap(sourcesIn).sort()
  const hash = createHash('sha256')
  for (const file of [...files, join(root, 'package-lock.json')]) {
    // One after the other: for small files that are in memory anyhow, threads cost more than they save.
    const text = readFileSync(file)
    hash.update(`${relative(root, file)} ${text.length}\n`).update(text)
  }
  return hash.digest('hex').slice(0, 16)
}

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : sourcesIn(path)
    return /\.(test\.ts|md)$/.test(entry.name) ? [] : [path]
  })
}

async function compressIn(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const texts = entries.filter(entry => entry.isFile() && /\.(html|js|css|svg)$/.test(entry.name))
  await Promise.all(texts.map(entry => compress(join(entry.parentPath, entry.name))))
}

async function compress(file: string): Promise<void> {
  const text = await readFile(file)
  if (text.length < compressedFromBytes) return
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: text.length }
  await writeFile(`${file}.br`, await promisify(brotliCompress)(text, { params }))
  await writeFile(`${file}.gz`, await promisify(gzip)(text, { level: 9 }))
}

/** Another process may have built the same sources meanwhile: then its files are as good as ours. */
async function putInPlace(building: string, stamp: string): Promise<void> {
  await chmod(building, 0o755) // the service may run as another user than whoever builds
  await rename(building, join(builds, stamp)).catch(error => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })
  const named = `${building}.stamp`
  await writeFile(named, stamp)
  await rename(named, stampFile)
  await forgetOldBuilds(stamp)
}

async function forgetOldBuilds(stamp: string): Promise<void> {
  const others = (await readdir(builds)).filter(name => name !== 'stamp' && name !== stamp)
  for (const name of others) {
    const path = join(builds, name)
    const ageMs = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    )
    if (ageMs > buildMaxMs) await rm(path, { recursive: true, force: true })
  }
}

if (import.meta.main) await buildDashboard()
