// The words after a command's name: options and arguments as the command asks for them, or a sentence that says which is wrong.

import { parseArgs } from 'node:util'
import { type Call, type Command, UsageError } from './command.ts'

export function parsedWords(
  commandName: string,
  command: Pick<Command, 'options' | 'positionals'>,
  words: readonly string[],
): Pick<Call, 'options' | 'positionals'> {
  try {
    const { values, positionals } = parseArgs({
      args: negativesLast(words, command.options),
      options: Object.fromEntries(Object.entries(command.options).map(([name, option]) => [name, shapeOf(option)])),
      allowPositionals: true,
      strict: true,
    })
    if (positionals.length !== command.positionals.length) {
      throw new UsageError(
        `tillbell ${commandName} takes ${command.positionals.length === 0 ? 'no arguments' : command.positionals.join(' ')}.`,
      )
    }
    for (const [name, { required }] of Object.entries(command.options)) {
      if (required === true && values[name] === undefined) throw new UsageError(`--${name} is required.`)
    }
    return { options: values as Call['options'], positionals }
  } catch (error) {
    if (error instanceof UsageError) throw error
    const [sentence] = (error as Error).message.split(/\.\s/)
    throw new UsageError(`${sentence}.`)
  }
}

function shapeOf({ type, multiple }: Command['options'][string]) {
  return { type: type === 'flag' ? ('boolean' as const) : ('string' as const), multiple: multiple === true }
}

/**
 * A number below nothing is the value of the option before it, or an argument, and is refused as such: no option of ours begins
 * with one dash.
 */
function negativesLast(words: readonly string[], options: Command['options']): string[] {
  const isNegative = (word: string) => /^-[.0-9]/.test(word)
  const takesValue = (word: string) => word.startsWith('--') && (options[word.slice(2)]?.type ?? 'flag') !== 'flag'
  const [first, last]: [string[], string[]] = [[], []]
  for (const word of words) {
    const before = first.at(-1) ?? ''
    if (!isNegative(word)) first.push(word)
    else if (takesValue(before)) first.splice(-1, 1, `${before}=${word}`)
    else last.push(word)
  }
  return [...first, '--', ...last]
}
