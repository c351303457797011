import { spawn } from 'node:child_process'
import { type Account, identityFor } from './account.ts'

interface Run {
  readonly account: Account
  /** What the program reads from its standard input. */
  readonly input?: string
}

interface Ended {
  readonly succeeded: boolean
  readonly output: string
}

// What the service knows from its environment (keys of gateways, passwords) is not PostgreSQL's to know. English
// messages, as some of them are recognised.
export function programEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
}

/** Runs a program to its end. The working folder is /, as the account may not be able to enter ours. */
export function runProgram(path: string, args: readonly string[], run: Run): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, { cwd: '/', env: programEnvironment(), ...identityFor(run.account) })
    let output = ''
    const collect = (chunk: Buffer) => {
      output += chunk.toString()
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    // A program that ends without reading its input says why by its output.
    child.stdin.on('error', () => {})
    child.stdin.end(run.input ?? '')
    child.on('error', reject)
    child.on('close', code => resolve({ succeeded: code === 0, output: output.trim() }))
  })
}
