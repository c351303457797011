// Keeps what Node makes of the service's text beside its data, so that the next start finds it there: half the time, and a tenth less
// memory. Whoever could write there could have us run what he likes, so only where nobody else can: not in a folder of everybody's, and not
// for commands, which are run in any folder that happens to have a `data`.

import { lstatSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join, resolve } from 'node:path'

const othersMayWrite = 0o022

/** Null: there is none. What cannot be looked at is not ours; what is wrong with it is said by whoever needs it. */
function isOurs(folder) {
  let found
  try {
    found = lstatSync(folder, { throwIfNoEntry: false })
  } catch {
    return false
  }
  if (found === undefined) return null
  return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & othersMayWrite) === 0
}

const data = resolve(process.env.TILLBELL_DATA || './data')
const compiled = join(data, 'compiled')
if (process.argv[2] === 'serve' && isOurs(data) === true && isOurs(compiled) !== false) enableCompileCache(compiled)
