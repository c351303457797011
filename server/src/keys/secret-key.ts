// Where the key that seals everything comes from: the environment, or, in the sandbox, a file in the data folder that
// the first start makes.

import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
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
  const text = await readFile(file, 'utf8').catch(async error => {
    if (error.code !== 'ENOENT') throw error
    await makeKeyFile(file)
    return readFile(file, 'utf8')
  })
  const key = parseSecretKey(text.trim())
  if (key === null) throw new Error(`${file} does not hold a key: 32 bytes in base64.`)
  return key
}

/** Of two first starts one makes it and both read it. It appears whole or not at all, so that nobody reads half a key. */
async function makeKeyFile(file: string): Promise<void> {
  const draft = `${file}.${randomBytes(8).toString('hex')}`
  await writeFile(draft, `${randomBytes(keyBytes).toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft)
  }
}
