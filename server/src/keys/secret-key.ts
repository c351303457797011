// Where the key that seals everything comes from: the environment, or, in the sandbox, a file in the data folder that
// the first start makes.

import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SecretKeys } from './sealing.ts'

const keyBytes = 32
/** One takes the place of another; their names must fit into that of a connection. */
const keysMax = 4

/** Null: not 32 bytes in base64. */
export function parseSecretKey(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === keyBytes && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? bytes : null
}

/** The first seals, each opens. Null: one of them is none. */
export function parseSecretKeys(text: string): SecretKeys | null {
  const [first, ...others] = text.split(/[\s,]+/).map(parseSecretKey)
  if (first === undefined || first === null || others.length >= keysMax) return null
  const known = others.filter(each => each !== null)
  return known.length === others.length ? [first, ...known] : null
}

const fileIn = (dataFolder: string) => join(dataFolder, 'secret.key')

/** The file, where others than its owner may read it; null: they may not. */
export async function keyReadByOthers(dataFolder: string): Promise<string | null> {
  const file = fileIn(dataFolder)
  return ((await stat(file)).mode & 0o077) === 0 ? null : file
}

export async function secretKeysInFolder(dataFolder: string): Promise<SecretKeys> {
  const file = fileIn(dataFolder)
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  const text = await readFile(file, 'utf8').catch(async error => {
    if (error.code !== 'ENOENT') throw error
    await makeKeyFile(file)
    return readFile(file, 'utf8')
  })
  return keysIn(text, file)
}

/** For whoever must not make one: a new key opens nothing that is there. Null: there is none. */
export async function knownKeysInFolder(dataFolder: string): Promise<SecretKeys | null> {
  const file = fileIn(dataFolder)
  const text = await readFile(file, 'utf8').catch(error => {
    if (error.code !== 'ENOENT') throw error
    return null
  })
  return text === null ? null : keysIn(text, file)
}

function keysIn(text: string, file: string): SecretKeys {
  const keys = parseSecretKeys(text.trim())
  if (keys === null) throw new Error(`${file} does not hold a key: 32 bytes in base64.`)
  return keys
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
