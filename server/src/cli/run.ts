// tillbell COMMAND: finds the command, runs it, and turns what goes wrong into one sentence and an exit code.

import { ConfigError, readConfig } from '../config.ts'
import { nearest } from '../core/nearest.ts'
import { DoesNotOpenError } from '../keys/sealing.ts'
import { openLog } from '../observe/log.ts'
import { DatabaseIsNewerError } from '../store/migrate.ts'
import { EmbeddedDatabaseError } from '../store/postgres/embedded.ts'
import { exitCodes, FailedError, NotFoundError, UsageError } from './command.ts'
import { commands } from './commands.ts'
import { databaseProblem } from './database-problem.ts'
import { helpOf, overview } from './help.ts'
import { parsedWords } from './parsed-words.ts'
import { bearNotBeingRead, whyUnwritten } from './unread.ts'

export async function run(words: readonly string[]): Promise<void> {
  bearNotBeingRead()
  try {
    const code = await dispatch(words)
    await new Promise(setImmediate) // what could not be written is told a moment later
    process.exitCode = allWritten(code)
  } catch (error) {
    process.exitCode = report(error)
  }
}

/** What was to be kept, keys that are shown once among it, must not be missed without a word. */
function allWritten(code: number): number {
  const why = whyUnwritten()
  if (why === null || code !== exitCodes.done) return code
  process.stderr.write(`What was printed could not be written (${why}).\n`)
  return exitCodes.failed
}

async function dispatch(given: readonly string[]): Promise<number> {
  const words = asCommand(given)
  const listed = commands.find(({ name }) => name.split(' ').every((word, index) => words[index] === word))
  if (listed === undefined) return showOverview(words)
  const command = await listed.load()
  const rest = words.slice(listed.name.split(' ').length)
  if (rest.includes('--help') || rest.includes('-h')) {
    print(helpOf(listed, command))
    return exitCodes.done
  }
  const { options, positionals } = parsedWords(listed.name, command, rest)
  const config = readConfig(process.env)
  return command.run({ config, log: openLog(config.logLevel), options, positionals, print })
}

/** What people ask of any program, in the words of a command: `help listen` is `listen --help`. */
function asCommand([first = '', ...rest]: readonly string[]): readonly string[] {
  if (['--version', '-v'].includes(first)) return ['version', ...rest]
  if (first === 'help') return [...rest.filter(word => word !== 'help'), '--help']
  return first === '' ? [] : [first, ...rest]
}

function showOverview(words: readonly string[]): number {
  const asked = words.filter(word => !word.startsWith('-'))
  const wantsHelp = words.includes('--help') || words.includes('-h')
  const isGroup = asked.length === 1 && commands.some(({ name }) => name.startsWith(`${asked[0]} `))
  if (!isGroup && asked.length > 0) throw new UsageError(noSuchCommand(asked))
  print(overview(asked))
  return wantsHelp ? exitCodes.done : exitCodes.usage
}

/** What follows a name of one word may be its arguments. */
function noSuchCommand(asked: readonly string[]): string {
  const names = commands.map(({ name }) => name)
  const groupNames = names.flatMap(name => (name.includes(' ') ? [name.split(' ')[0] ?? name] : []))
  const meant = nearest(asked.slice(0, 2).join(' '), names) ?? nearest(asked[0] ?? '', [...names, ...groupNames])
  const asking = meant === null ? '' : ` Did you mean "tillbell ${meant}"?`
  return `There is no command "${asked.join(' ')}".${asking} tillbell help lists them.`
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

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
