// The words after a command's name: options and arguments as the command asks for them, or a sentence that says which is wrong.

import { parseArgs } from 'node:util'
import { variables } from '../config.ts'
import { nearest } from '../core/nearest.ts'
import { type Call, type Command, UsageError } from './command.ts'

export function parsedWords(
  commandName: string,
  command: Pick<Command, 'options' | 'positionals' | 'choices'>,
  words: readonly string[],
): Pick<Call, 'options' | 'positionals'> {
  const { options } = command
  // Not strict: what Node would say of a wrong word names no option that takes it, and none that was meant.
  const { values, positionals, tokens } = parseArgs({
    args: negativesLast(words, options),
    options: Object.fromEntries(Object.entries(options).map(([name, option]) => [name, shapeOf(option)])),
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const given = tokens.filter(({ kind }) => kind === 'option') as GivenOption[]
  for (const each of given) refuseWrong(commandName, options, each)
  refuseRepeated(options, given)
  if (positionals.length !== command.positionals.length)
    throw new UsageError(`tillbell ${commandName} takes ${argumentsOf(command)}.`)
  for (const [name, { required, from }] of Object.entries(options)) {
    if (required === true && values[name] === undefined)
      throw new UsageError(`--${name} is required.${from === undefined ? '' : ` ${from}`}`)
  }
  return { options: values as Call['options'], positionals }
}

interface GivenOption {
  readonly name: string
  /** As it was typed. */
  readonly rawName: string
  readonly value?: string
  /** It came behind an equals sign. */
  readonly inlineValue?: boolean
}

function refuseWrong(commandName: string, options: Command['options'], given: GivenOption): void {
  const { name, rawName, value, inlineValue } = given
  const option = rawName.startsWith('--') && Object.hasOwn(options, name) ? options[name] : undefined
  if (option === undefined) throw new UsageError(unknownOption(commandName, options, given))
  if (option.type === 'flag') {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value.`)
    return
  }
  // What begins with a dash is the next option, unless somebody has tied it to this one.
  const isNext = inlineValue !== true && value !== undefined && /^-./.test(value)
  if (value === undefined || isNext)
    throw new UsageError(`${rawName} needs a value: ${rawName} ${option.type.toUpperCase()}. ${option.says}`)
}

function unknownOption(commandName: string, options: Command['options'], { name, rawName }: GivenOption): string {
  const variable = `TILLBELL_${name.toUpperCase().replaceAll('-', '_')}`
  const meant = nearest(name, Object.keys(options))
  const hint = [
    ...(meant === null ? [] : [`Did you mean --${meant}?`]),
    ...(meant === null && Object.hasOwn(variables, variable) ? [`It is set by the variable ${variable}.`] : []),
  ]
  return [`Unknown option '${rawName}'.`, ...hint, `tillbell ${commandName} --help lists them.`].join(' ')
}

/** The last of two would win without a word. */
function refuseRepeated(options: Command['options'], given: readonly GivenOption[]): void {
  const once = given.map(({ name }) => name).filter(name => options[name]?.type !== 'flag' && !options[name]?.multiple)
  const repeated = once.find((name, index) => once.indexOf(name) !== index)
  if (repeated !== undefined) throw new UsageError(`--${repeated} is given more than once: give one.`)
}

function argumentsOf({ positionals, choices = {} }: Pick<Command, 'positionals' | 'choices'>): string {
  if (positionals.length === 0) return 'no arguments'
  const shown = positionals.map(name => {
    const known = choices[name]
    return known === undefined ? name : `${name}, one of ${known.join(', ')}`
  })
  return shown.join(' ')
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
