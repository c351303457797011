// Copies what shows the API reference, Redoc in one file, to where the service serves it from: `dist/reference`. The product
// installs neither Redoc nor the hundred packages that Redoc is made of.

import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const source = join(import.meta.dirname, '../node_modules/redoc')
const built = join(import.meta.dirname, 'dist/reference')

/** The one thing that it would ask of another host: the picture beside its maker's name. */
const foreignPicture = 'https://cdn.redoc.ly/redoc/logo-mini.svg'
const noPicture = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/%3E"

/** `version` is written last: until it is there, nothing is served. */
export async function buildReference(): Promise<void> {
  const original = await readFile(join(source, 'bundles/redoc.standalone.js'), 'utf8').catch(notInstalled)
  if (original === null) return
  if (!original.includes(foreignPicture)) throw new Error('Redoc has changed: see what it asks of other hosts.')
  const text = original.replaceAll(foreignPicture, noPicture)
  const version = createHash('sha256').update(text).digest('base64url').slice(0, 12)
  if ((await readFile(join(built, 'version'), 'utf8').catch(() => null)) === version) return
  await mkdir(built, { recursive: true })
  await write('redoc.js', text)
  await write('redoc.js.gz', await promisify(gzip)(text, { level: 9 }))
  await write('LICENSE', await readFile(join(source, 'LICENSE')))
  await write('redoc.js.LICENSE.txt', await readFile(join(source, 'bundles/redoc.standalone.js.LICENSE.txt')))
  await write('version', version)
}

/** Several processes may build at once: each file is there as a whole, or not at all. */
async function write(name: string, content: string | Buffer): Promise<void> {
  const whole = join(built, `${name}.${process.pid}`)
  await writeFile(whole, content)
  await rename(whole, join(built, name))
}

/** It is for development: the service starts without, and /docs/api says where the document is. */
function notInstalled(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ENOENT') throw error
  return null
}

if (import.meta.main) await buildReference()
