// Type-checks the TypeScript and JavaScript of our pages, all of it at once, and runs what says that it runs.

import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Block, nameOf, root } from './code-blocks.ts'

/** Inside of the repository, where packages are found as they are anywhere else in it. */
const folder = join(root, 'server/test', `code-blocks-${process.pid}`)
const preludes = join(import.meta.dirname, 'preludes')

export interface TypedBlock {
  readonly block: Block
  /** Null: it is not to be run. */
  readonly file: string
  readonly runs: boolean
}

/** Writes each block to a file, with what the page says comes before it: `with NAME` a prelude, `with above` the block before. */
export async function writeTyped(blocks: readonly Block[]): Promise<TypedBlock[]> {
  await mkdir(folder, { recursive: true })
  const written: TypedBlock[] = []
  let above = ''
  for (const [index, block] of blocks.entries()) {
    const { runs, given } = saidOf(block)
    const isOnSamePage = blocks[index - 1]?.page === block.page
    if (given === 'above' && !isOnSamePage) throw new Error(`${nameOf(block)}: there is no block above`)
    const prelude = given === 'above' ? above : given === '' ? '' : await preludeNamed(given)
    above = `${prelude}${block.text}`
    const file = join(folder, `${block.page.replaceAll(/[/.]/g, '-')}-${block.line}.${block.language}`)
    await writeFile(file, `${above}export {}\n`)
    written.push({ block, file, runs })
  }
  return written
}

export function forgetTyped(): Promise<void> {
  return rm(folder, { recursive: true, force: true })
}

function saidOf(block: Block): { readonly runs: boolean; readonly given: string } {
  const said = /^(run)?(?: ?with ([a-z-]+))?$/.exec(block.says)
  if (said === null) throw new Error(`${nameOf(block)}: "${block.says}" says nothing about ${block.language}`)
  return { runs: said[1] !== undefined, given: said[2] ?? '' }
}

function preludeNamed(name: string): Promise<string> {
  return readFile(join(preludes, `${name}.ts`), 'utf8')
}

/** What the compiler says; empty: nothing. A merchant's settings are not ours: unused names and unchecked JavaScript are fine. */
export async function typeCheck(): Promise<string> {
  const ours = { noUnusedLocals: false, noUnusedParameters: false, allowJs: true, checkJs: true }
  const options = { extends: '../../../tsconfig.json', compilerOptions: ours, include: ['.'] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(options))
  return ran(join(root, 'node_modules/.bin/tsc'), ['-p', folder, '--noEmit', '--pretty', 'false'])
}

export async function runFile(file: string): Promise<string> {
  return ran(process.execPath, [file])
}

/** What it printed where it failed. */
function ran(program: string, words: readonly string[]): Promise<string> {
  return new Promise(resolve => {
    execFile(program, words, { cwd: root, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve(error === null ? '' : `${stdout}${stderr}` || String(error)),
    )
  })
}
