// Packages of others that a benchmark compares with: installed into a folder of their own when they are first needed, so that
// nobody installs them who only runs the service.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const folder = join(import.meta.dirname, 'peer-packages')

export async function installPeers(): Promise<void> {
  if (existsSync(join(folder, 'node_modules/.package-lock.json'))) return
  process.stderr.write('Installing the packages to compare with …\n')
  // Not `npm ci`, which wants packages for other platforms in the lock file that nobody has published.
  const install = spawn('npm', ['install', '--no-save', '--silent'], { cwd: folder, stdio: 'inherit' })
  const [code] = await once(install, 'exit')
  if (code !== 0) throw new Error(`npm install in bench/peer-packages ended with ${code}`)
}

// biome-ignore lint/suspicious/noExplicitAny: not installed where the types are checked
export function peerPackage(name: string): any {
  return createRequire(join(folder, 'package.json'))(name)
}

export function peerVersion(name: string): string {
  return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version
}
