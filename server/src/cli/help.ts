// What the command line says of itself: the overview of all commands, and the help of one.

import { type Command, exitCodes } from './command.ts'
import { commands, groups, type ListedCommand } from './commands.ts'

/** Of the commands that begin with the word asked for; of all, where none does. */
export function overview(asked: readonly string[]): string {
  const known = commands.filter(({ name }) => asked.length === 0 || name.split(' ')[0] === asked[0])
  const shown = known.length === 0 ? commands : known
  const width = Math.max(...shown.map(({ name }) => name.length))
  const line = ({ name, summary }: ListedCommand) => `  tillbell ${name.padEnd(width)}  ${summary}`
  const sections = Object.entries(groups).flatMap(([group, title]) => {
    const lines = shown.filter(command => command.group === group).map(line)
    return lines.length === 0 ? [] : ['', `${title}:`, ...lines]
  })
  return ['Usage: tillbell COMMAND', ...sections, '', 'tillbell COMMAND --help says more.', codes()].join('\n')
}

export function helpOf({ name, summary }: ListedCommand, { positionals, options, notes, examples }: Command): string {
  const rows = optionRows(options)
  const usage = [`tillbell ${name}`, ...positionals, ...(rows.length > 0 ? ['[options]'] : [])].join(' ')
  return [
    ...[`Usage: ${usage}`, '', summary],
    ...section('Options:', rows),
    ...(notes === undefined ? [] : ['', ...notes]),
    ...section(examples.length > 1 ? 'Examples:' : 'Example:', examples),
    ...['', codes()],
  ].join('\n')
}

function optionRows(options: Command['options']): string[] {
  const written = Object.entries(options).map(([option, { type, says, required }]) => ({
    option: type === 'flag' ? `--${option}` : `--${option} ${type.toUpperCase()}`,
    says: required === true ? `${says} Required.` : says,
  }))
  const width = Math.max(...written.map(({ option }) => option.length))
  return written.map(({ option, says }) => `${option.padEnd(width)}  ${says}`)
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map(line => `  ${line}`)]
}

function codes(): string {
  const { done, failed, usage, config, notFound } = exitCodes
  return `Exit codes: ${done} done, ${failed} failed, ${usage} wrong usage, ${config} refused to start, ${notFound} not found.`
}
