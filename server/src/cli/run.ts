// tillbell COMMAND: finds the command, runs it, and turns what goes wrong into one sentence and an exit code.

import { parseArgs } from 'node:util'
import { ConfigError, readConfig } from '../config.ts'
import { DoesNotOpenError } from '../keys/sealing.ts'
import { openLog } from '../observe/log.ts'
import { isConnectionLoss } from '../store/database.ts'
import { DatabaseIsNewerError } from '../store/migrate.ts'
import { EmbeddedDatabaseError } from '../store/postgres/embedded.ts'
import { type Command, exitCodes, FailedError, NotFoundError, UsageError } from './command.ts'
import { commands, type ListedCommand } from './commands.ts'

export async function run(words: readonly string[]): Promise<void> {
  try {
    process.exitCode = await dispatch(words)
  } catch (error) {
    process.exitCode = report(error)
  }
}

async function dispatch(words: readonly string[]): Promise<number> {
  const listed = commands.find(({ name }) => name.split(' ').every((word, index) => words[index] === word))
  if (listed === undefined) {
    const asked = words.filter(word => !word.startsWith('-'))
    const wantsHelp = words.includes('--help') || words.includes('-h') || words[0] === 'help'
    const isGroup = asked.length === 1 && commands.some(({ name }) => name.startsWith(`${asked[0]} `))
    if (!wantsHelp && !isGroup && asked.length > 0) throw new UsageError(`There is no command "${asked.join(' ')}".`)
    print(overview(asked))
    return wantsHelp ? exitCodes.done : exitCodes.usage
  }
  const command = await listed.load()
  const rest = words.slice(listed.name.split(' ').length)
  if (rest.includes('--help') || rest.includes('-h')) {
    print(helpOf(listed, command))
    return exitCodes.done
  }
  const { values, positionals } = parsed(listed.name, command, rest)
  const config = readConfig(process.env)
  return command.run({ config, log: openLog(config.logLevel), options: values, positionals, print })
}

function parsed(commandName: string, command: Command, rest: readonly string[]) {
  try {
    const options = Object.fromEntries(
      Object.entries(command.options).map(([name, { type }]) => [
        name,
        { type: type === 'flag' ? ('boolean' as const) : ('string' as const) },
      ]),
    )
    const result = parseArgs({ args: negativesLast(rest), options, allowPositionals: true, strict: true })
    if (result.positionals.length !== command.positionals.length) {
      throw new UsageError(
        `tillbell ${commandName} takes ${command.positionals.length === 0 ? 'no arguments' : command.positionals.join(' ')}.`,
      )
    }
    for (const [name, { required }] of Object.entries(command.options)) {
      if (required === true && result.values[name] === undefined) throw new UsageError(`--${name} is required.`)
    }
    return result
  } catch (error) {
    if (error instanceof UsageError) throw error
    const [sentence] = (error as Error).message.split(/\.\s/)
    throw new UsageError(`${sentence}.`)
  }
}

/** A number below nothing is an argument, and is refused as one: no option of ours begins with one dash. */
function negativesLast(words: readonly string[]): string[] {
  const isNegative = (word: string) => /^-[.0-9]/.test(word)
  return [...words.filter(word => !isNegative(word)), '--', ...words.filter(isNegative)]
}

function overview(asked: readonly string[]): string {
  const known = commands.filter(({ name }) => asked.length === 0 || name.split(' ')[0] === asked[0])
  const shown = known.length === 0 ? commands : known
  const width = Math.max(...shown.map(({ name }) => name.length))
  const lines = shown.map(({ name, summary }) => `  tillbell ${name.padEnd(width)}  ${summary}`)
  return ['Usage:', ...lines, '', 'tillbell COMMAND --help says more.', codes()].join('\n')
}

export function helpOf({ name, summary }: ListedCommand, { positionals, options }: Command): string {
  const written = Object.entries(options).map(([option, { type, says, required }]) => ({
    option: type === 'flag' ? `--${option}` : `--${option} ${type.toUpperCase()}`,
    says: required === true ? `${says} Required.` : says,
  }))
  const width = Math.max(...written.map(({ option }) => option.length))
  const rows = written.map(({ option, says }) => `  ${option.padEnd(width)}  ${says}`)
  const usage = [`tillbell ${name}`, ...positionals, ...(rows.length > 0 ? ['[options]'] : [])].join(' ')
  return [`Usage: ${usage}`, '', summary, ...(rows.length > 0 ? ['', 'Options:', ...rows] : []), '', codes()].join('\n')
}

function codes(): string {
  const { done, failed, usage, config, notFound } = exitCodes
  return `Exit codes: ${done} done, ${failed} failed, ${usage} wrong usage, ${config} refused to start, ${notFound} not found.`
}

function report(error: unknown): number {
  const expected: readonly [new (...given: never[]) => Error, number][] = [
    [UsageError, exitCodes.usage],
    [NotFoundError, exitCodes.notFound],
    [FailedError, exitCodes.failed],
    [ConfigError, exitCodes.config],
    [DatabaseIsNewerError, exitCodes.config],
    [EmbeddedDatabaseError, exitCodes.config],
    [DoesNotOpenError, exitCodes.config],
  ]
  const known = expected.find(([type]) => error instanceof type)
  const refusedByDatabase = databaseProblem(error)
  const sentence =
    known !== undefined ? (error as Error).message : (refusedByDatabase ?? (error as Error).stack ?? String(error))
  process.stderr.write(`${sentence}\n`)
  return known?.[1] ?? (refusedByDatabase === null ? exitCodes.failed : exitCodes.config)
}

/** A database that cannot be reached or does not let us in is the operator's to mend, not a bug. */
function databaseProblem(error: unknown): string | null {
  const which = process.env.DATABASE_URL ? 'DATABASE_URL leads to' : 'There is'
  const { code } = error as { code?: string }
  if (code === '28P01' || code === '28000')
    return 'DATABASE_URL has a user or password that PostgreSQL does not accept.'
  if (code === '3D000') return 'DATABASE_URL names a database that does not exist.'
  if (isConnectionLoss(error)) return `${which} no PostgreSQL that answers.`
  return null
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
