// A command at the house, run to its end.

import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { spawnTillbell } from '../server/test/support/process.ts'

export async function command(
  words: readonly string[],
  environment: { readonly [name: string]: string },
): Promise<{ readonly code: number | null; readonly printed: string; readonly complained: string }> {
  const child = spawnTillbell(words, environment)
  const [[code], printed, complained] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)])
  return { code, printed, complained }
}
