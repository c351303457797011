// tillbell version: what runs here, for a report of a fault.

import { readFile } from 'node:fs/promises'
import { findPackage, majorOf, versionOf } from '../store/postgres/binaries.ts'
import { EmbeddedDatabaseError } from '../store/postgres/failure.ts'
import { type Command, exitCodes, jsonOption } from './command.ts'

export const version: Command = {
  positionals: [],
  options: { json: jsonOption },
  examples: ['tillbell version', 'tillbell --version'],
  async run({ options, print }) {
    const { version: own } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
    const shown = { tillbell: own, node: process.versions.node, postgresql: await bundledPostgresql() }
    const bundled = shown.postgresql === null ? 'no PostgreSQL bundled' : `PostgreSQL ${shown.postgresql} bundled`
    print(options.json === true ? JSON.stringify(shown) : `tillbell ${own} (Node ${shown.node}, ${bundled})`)
    return exitCodes.done
  },
}

/** Null: npm brought none, and only a DATABASE_URL helps. */
async function bundledPostgresql(): Promise<string | null> {
  try {
    const version = await versionOf(findPackage())
    const [, minor] = version.split('.')
    return `${majorOf(version)}.${minor}`
  } catch (error) {
    if (error instanceof EmbeddedDatabaseError) return null
    throw error
  }
}
