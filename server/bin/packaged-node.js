// Runs Tillbell by the Node that npm installed beside it, where the one that was asked is too old. Whoever started us sees
// one process: the same streams and arguments, signals go on to the other, and how that one ends is how we end.
// (Node's own process.execve would do, but the versions this is for do not have it.)

import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP']
const refusedToStart = 3

export function runByPackagedNode() {
  const endsWithUs = pathToFileURL(join(here, 'end-with-parent.js')).href
  // Whose Node it is that npm put there is not ours to say: handed over once, never again.
  if (process.execArgv.includes(endsWithUs)) return refuse('It was found beside Tillbell, and is not the one it needs.')
  const node = findNode()
  if (node === null)
    return refuse('npm brings one on Linux, Windows and Intel Macs, unless optional packages are left out.')
  const program = join(here, 'tillbell.js')
  const child = spawn(node, ['--import', endsWithUs, program, ...process.argv.slice(2)], {
    // The channel says nothing. It breaks when we die, and tells the other by that even where we were killed.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // In a group of its own: a terminal sends Ctrl-C to all of ours, and with what we pass on it would come twice.
    // (On Windows this would open a window.)
    detached: process.platform !== 'win32',
  })
  for (const signal of passedOn) process.on(signal, () => child.kill(signal))
  child.on('error', error => refuse(`The one that npm brought does not start here (${error.code}).`))
  child.on('exit', (code, signal) => endLike(code, signal))
}

function findNode() {
  const system = process.platform === 'win32' ? 'win' : process.platform
  try {
    const description = createRequire(import.meta.url).resolve(`node-${system}-${process.arch}/package.json`)
    return join(dirname(description), 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  } catch {
    return null
  }
}

function refuse(why) {
  process.stderr.write(
    `Tillbell needs Node 24.7 or newer; this is ${process.version}. ${why} Install Node 24 to run it.\n`,
  )
  process.exitCode = refusedToStart
}

function endLike(code, signal) {
  if (signal === null) {
    process.exitCode = code
    return
  }
  for (const each of passedOn) process.removeAllListeners(each)
  process.kill(process.pid, signal)
}
