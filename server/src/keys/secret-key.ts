// Where the key that seals everything comes from: the environment, or, in the sandbox, a file in the data folder that
// the first start makes.

import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const keyBytes = 32

/** Null: not 32 bytes in base64. */
export function parseSecretKey(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === keyBytes && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? bytes : null
}

export async function secretKeyInFolder(dataFolder: string): Promise<Buffer> {
  const file = join(dataFolder, 'secret.key')
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  const made = randomBytes(keyBytes).toString('base64')
  // Written only if it is not there: of two first starts, one makes it and both read it.
  await writeFile(file, `${made}\n`, { mode: 0o600, flag: 'wx' }).catch(error => {
    if (error.code !== 'EEXIST') throw error
  })
  const key = parseSecretKey((await readFile(file, 'utf8')).trim())
  if (key === null) throw new Error(`${file} does not hold a key: 32 bytes in base64.`)
  return key
}
