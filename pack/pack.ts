// npm run pack: makes the packages that are published, as the files that npm would upload.

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { writeSbom } from './sbom.ts'
import { stage } from './stage.ts'

export interface Packages {
  readonly tillbell: string
  readonly sdk: string
}

/** Puts both into the folder, and says where. */
export async function pack(folder: string): Promise<Packages> {
  await mkdir(folder, { recursive: true })
  const staged = await mkdtemp(join(folder, 'packing-'))
  try {
    await stage(staged)
    const [tillbell, sdk] = await Promise.all(
      [staged, join(staged, 'node_modules/@tillbell/sdk')].map(each => packFolder(each, folder)),
    )
    return { tillbell: tillbell ?? '', sdk: sdk ?? '' }
  } finally {
    await rm(staged, { recursive: true, force: true })
  }
}

async function packFolder(source: string, into: string): Promise<string> {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const { stdout } = await promisify(execFile)(
    npm,
    ['pack', '--json', '--ignore-scripts', '--pack-destination', into],
    {
      cwd: source,
      maxBuffer: 10_000_000,
    },
  )
  const [{ filename }] = JSON.parse(stdout)
  return join(into, filename)
}

if (import.meta.main) {
  const folder = join(import.meta.dirname, '../dist/packages')
  const made = [...Object.values(await pack(folder)), await writeSbom(folder)]
  for (const file of made) process.stdout.write(`${file}\n`)
}
