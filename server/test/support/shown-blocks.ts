// Blocks without a language: output, or a template that cannot run as it stands. What looks like code must say why it does not run
// (`<!-- code: shown, REASON -->`), and is held to what there is: our commands, our requests, files and scripts.

import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { commands } from '../../src/cli/commands.ts'
import { parsedWords } from '../../src/cli/parsed-words.ts'
import type { Document, Schema } from './client-types.ts'
import { type Block, nameOf, root } from './code-blocks.ts'

/** Of others, which we cannot hold to anything. */
const foreign = [
  'cp',
  'createdb',
  'docker',
  'export',
  'gem',
  'journalctl',
  'kubectl',
  'openssl',
  'pg_dump',
  'pg_restore',
]
const others = [...foreign, 'install', 'psql', 'rackup', 'set', 'sudo', 'systemctl', '.']
const programs = new Set([
  ...others,
  'tillbell',
  'npx',
  'npm',
  'node',
  'curl',
  'new-secrets.sh',
  'php',
  'python3',
  'ruby',
  'sh',
])
const code = /^\s*([{[]|(import|export|const|let|function|class|def|require|from|select|insert)\b)/

/** Whether it could be run, compiled or sent by somebody, so that it has to be right. */
export function looksLikeCode({ text }: Block): boolean {
  if (text.startsWith('$ ')) return false // a command, and then what it prints
  if (text.split('\n').some(line => code.test(line))) return true
  return commandsIn(text).some(words => programs.has(programOf(words)))
}

/** What is wrong with it; nothing, if every command and every request is one that there is. */
export async function wrongIn(block: Block, document: Document): Promise<string[]> {
  const wrong: string[] = []
  for (const words of commandsIn(block.text)) wrong.push(...(await wrongCommand(words, block, document)))
  return wrong.map(sentence => `${nameOf(block)}: ${sentence}`)
}

async function wrongCommand(given: readonly string[], block: Block, document: Document): Promise<string[]> {
  const program = programOf(given)
  const words = withoutSettings(given)
  const missing = words.filter(
    word => /^(deploy|examples)\//.test(word) && !existsSync(join(root, word)) && !isMade(word),
  )
  if (missing.length > 0) return missing.map(path => `there is no ${path}`)
  if (program === 'tillbell') return await wrongTillbell(words.slice(words.findLastIndex(isTillbell) + 1))
  if (program === 'curl') return wrongCurl(words.slice(1), document)
  if (program === 'npm') return wrongScript(words, block)
  const [file] = words.slice(1).filter(word => /\.(js|ts|php|py|rb)$/.test(word))
  const folder = join(root, dirname(block.page))
  return file === undefined || existsSync(join(folder, file)) ? [] : [`there is no ${file} beside the page`]
}

/** The page says how: it is never in the repository. */
const isMade = (path: string) => path === 'deploy/kubernetes/secret.yaml'

const isTillbell = (word: string) => ['tillbell', 'tillbell.js'].includes(basename(word))

function withoutSettings(words: readonly string[]): readonly string[] {
  const at = words.findIndex(word => word !== '$' && !/^[A-Z_]+=/.test(word))
  return at < 0 ? [] : words.slice(at)
}

/** `npx`, `node` and what runs inside of a container are ways to ours. */
function programOf(given: readonly string[]): string {
  const [first = '', ...rest] = withoutSettings(given)
  const program = basename(first)
  const byName = program === 'npx' || (program === 'docker' && rest.includes('run'))
  const byFile = ['node', 'kubectl'].includes(program) && rest.some(word => basename(word) === 'tillbell.js')
  return isTillbell(first) || byFile || (byName && rest.some(isTillbell)) ? 'tillbell' : program
}

async function wrongTillbell(words: readonly string[]): Promise<string[]> {
  const found = commands.find(({ name }) => `${words.join(' ')} `.startsWith(`${name} `))
  if (found === undefined) return [`there is no command tillbell ${words.join(' ')}`]
  try {
    parsedWords(found.name, await found.load(), words.slice(found.name.split(' ').length))
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

function wrongScript([, verb = '', name = '']: readonly string[], { page }: Block): string[] {
  const script = verb === 'run' ? name : verb === 'start' ? 'start' : null
  if (script === null) return ['install', 'ci'].includes(verb) ? [] : [`npm ${verb} is not known here`]
  const { scripts = {} } = JSON.parse(readFileSync(join(root, dirname(page), 'package.json'), 'utf8'))
  return scripts[script] === undefined ? [`there is no script ${script}`] : []
}

function wrongCurl(words: readonly string[], document: Document): string[] {
  const after = (option: string) => words.filter((_, at) => words[at - 1] === option)
  const url = words.find(word => word.startsWith('$rest/'))
  if (url === undefined) return ['curl asks nothing below $rest']
  const sent = after('-d')
  const [method = sent.length > 0 ? 'POST' : 'GET'] = after('-X')
  const names = sent.flatMap(text =>
    text.startsWith('{') ? Object.keys(JSON.parse(text)) : [text.split('=')[0] ?? ''],
  )
  return wrongRequest(method, url.replace('$rest', '/api/v5/rest').replace(/\?.*/, ''), names, document)
}

function wrongRequest(method: string, path: string, names: readonly string[], { paths }: Document): string[] {
  const segments = (text: string) => text.split('/').map(each => (/^\{.*\}$|…|^[A-Z]+$/.test(each) ? '{id}' : each))
  const same = (known: string) => segments(known).join('/') === segments(path).join('/')
  const described = Object.entries(paths).find(([known]) => same(known))?.[1][method.toLowerCase()]
  if (described === undefined) return [`there is no ${method} ${path}`]
  const known = propertiesOf(described.requestBody?.content['application/json']?.schema ?? {})
  return names.filter(name => !known.includes(name)).map(name => `${method} ${path} takes no ${name}`)
}

function propertiesOf({ properties = {}, anyOf = [] }: Schema): string[] {
  return [...Object.keys(properties), ...anyOf.flatMap(propertiesOf)]
}

/** The words of each command, as a shell parts them: by blanks, outside of quotes. */
export function commandsIn(text: string): string[][] {
  const found: string[][] = [[]]
  // A quoted part, an escaped line break, a comment, what ends a command, or anything else that is not blank.
  const parts = /'([^']*)'|"((?:\\.|[^"])*)"|(\\\n)|((?<=^|\s)#.*)|(\n|;|&&|\|\|?)|([^\s'";|&\\]+|[\\&])|(\s)/gm
  let isOpen = false
  for (const [, single, double, goesOn, comment, ends, plain] of text.matchAll(parts)) {
    const piece = single ?? double ?? plain
    const words = found.at(-1) ?? []
    if (piece !== undefined) words.push(isOpen ? `${words.pop() ?? ''}${piece}` : piece)
    isOpen = piece !== undefined
    if (ends !== undefined && goesOn === undefined && comment === undefined) found.push([])
  }
  return found.filter(words => words.length > 0)
}
