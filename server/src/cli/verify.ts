// tillbell verify: whether a hook is authentic, and why not. Offline: no service, no database.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type Call, type Command, exitCodes, FailedError, jsonOption, UsageError } from './command.ts'
import { unreadable } from './unreadable.ts'
import { type Pair, readBody } from './verify-body.ts'
import { causes } from './verify-causes.ts'
import type { NamedKey } from './verify-keys.ts'
import { judge, type Verdict } from './verify-search.ts'

export const verify: Command = {
  positionals: [],
  options: {
    body: { type: 'file', says: "The request's raw body; - for standard input." },
    details: {
      type: 'file',
      says: 'Instead of a body: the parameter details, as a file, as text, or - for standard input.',
    },
    signature: { type: 'text', says: 'With --details: the parameter signature.' },
    'key-file': { type: 'file', says: 'A file with the Private Key. May be given several times.', multiple: true },
    key: { type: 'key', says: 'The Private Key itself; other users of the machine can see it.', multiple: true },
    json: jsonOption,
  },
  notes: [
    'Without --key-file and --key, the Private Key is that of TILLBELL_PRIVATE_KEY, else that of demo.json in the data folder.',
    'Ends with 0 if it is authentic. If not, it says which mistake explains it, and ends with 1.',
  ],
  examples: [
    'tillbell verify --body hook.txt --key-file private-key.txt',
    'tillbell verify --details details.json --signature de7c9b85b8b78aa6bc8a7a36f70a90701c9db4d9',
  ],
  async run(call) {
    const [pairs, keys] = [await pairsFrom(call), await keysFrom(call)]
    const verdict = judge(pairs, keys)
    call.print(call.options.json === true ? asJson(verdict) : asText(verdict, keys.length))
    return verdict.authentic ? exitCodes.done : exitCodes.failed
  },
}

async function pairsFrom({ options }: Call): Promise<readonly Pair[]> {
  const { body, details, signature } = options
  if (typeof body === 'string') {
    if (details !== undefined || signature !== undefined)
      throw new UsageError('Give --body, or --details and --signature: not both.')
    const read = readBody(await contentOf('body', body))
    if ('missing' in read) throw new FailedError(read.missing)
    return read.pairs
  }
  if (typeof details !== 'string' || typeof signature !== 'string')
    throw new UsageError('Give --body, or --details and --signature.')
  return [{ details: await fileOrText(details), signature, causes: [] }]
}

async function contentOf(option: string, path: string): Promise<string> {
  if (path === '-') return text(process.stdin)
  return readFile(path, 'utf8').catch(error => {
    throw new FailedError(`--${option}: ${unreadable(path, error)}`)
  })
}

/** What is no file is the text itself: nobody calls a file like a JSON object. */
async function fileOrText(given: string): Promise<string> {
  if (given === '-') return contentOf('details', given)
  return readFile(given, 'utf8').catch(() => {
    if (isNameOfFile(given)) throw new FailedError(`--details: there is no file ${given} to read, and it is no JSON.`)
    return given
  })
}

/** Whatever a hook's details may have become on the way, it has a character that names of files rarely have. */
function isNameOfFile(given: string): boolean {
  return /^[^\s"'{}&%=]+$/.test(given) && /\/|\.\w{1,5}$/.test(given)
}

async function keysFrom(call: Call): Promise<readonly NamedKey[]> {
  const { config } = call
  const given = listOption(call, 'key').map((key, index) => ({ name: `--key number ${index + 1}`, text: key }))
  const inFiles = await Promise.all(
    listOption(call, 'key-file').map(async path => ({ name: path, text: await keyIn(path) })),
  )
  const set = config.privateKey === null ? [] : [{ name: 'TILLBELL_PRIVATE_KEY', text: config.privateKey }]
  const asked = [...given, ...inFiles]
  const keys = asked.length > 0 ? asked : set
  if (keys.some(key => key.text.trim() === '')) throw new UsageError('The key is empty.')
  if (keys.length > 0) return keys
  const demo = await demoKey(config.dataFolder)
  if (demo !== null) return [{ name: 'demo.json', text: demo }]
  throw new UsageError('Which Private Key? Give --key-file, or set TILLBELL_PRIVATE_KEY.')
}

function listOption({ options }: Call, name: string): readonly string[] {
  const given = options[name]
  return Array.isArray(given) ? given : []
}

/** Every editor ends a file with a line break: here it is not the key's. */
async function keyIn(path: string): Promise<string> {
  const bytes = await readFile(path).catch(error => {
    throw new FailedError(`--key-file: ${unreadable(path, error)}`)
  })
  const isText = bytes.length !== 32
  return isText ? bytes.toString('utf8').replace(/\r?\n$/, '') : bytes.toString('hex')
}

async function demoKey(dataFolder: string): Promise<string | null> {
  try {
    const { private_key: key } = JSON.parse(await readFile(join(dataFolder, 'demo.json'), 'utf8'))
    return typeof key === 'string' ? key : null
  } catch {
    return null
  }
}

/** The signature that would fit is never shown: with it, anybody who reads along could forge. */
function asText({ authentic, key, causes: why }: Verdict, keyCount: number): string {
  const signedWith = key !== null && keyCount > 1 ? `, signed with ${key.name}` : ''
  if (authentic) return `authentic${signedWith}`
  const headline =
    key === null ? 'Not authentic.' : `Not authentic as given${signedWith}. It would be, with this mended:`
  return [headline, ...why.map(code => `- ${causes[code].found} ${causes[code].mend}`)].join('\n')
}

function asJson({ authentic, key, causes: why }: Verdict): string {
  const told = why.map(code => ({ code, ...causes[code] }))
  return JSON.stringify({ authentic, key: key?.name ?? null, causes: told })
}
