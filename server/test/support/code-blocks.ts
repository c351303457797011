// The code blocks of our pages: what has a language is code, and runs; output and templates have none, and are held as shown-blocks.ts
// says.

import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../../..')

export interface Block {
  /** From the root of the repository. */
  readonly page: string
  readonly line: number
  /** Empty text: output, or a template. */
  readonly language: string
  readonly text: string
  /** What the page says of it in a comment before it, `<!-- code: … -->`: how it is run. Empty text: nothing. */
  readonly says: string
}

/** Every page that we write for people who use Tillbell. */
export async function pagesWithCode(): Promise<string[]> {
  const below = async (folder: string, isOne: (name: string) => boolean) =>
    (await readdir(join(root, folder), { recursive: true }))
      .filter(name => isOne(name) && !name.includes('node_modules'))
      .map(name => `${folder}/${name}`)
  const lists = await Promise.all([
    below('docs', name => name.endsWith('.md')),
    below('examples', name => name.endsWith('README.md')),
  ])
  return ['README.md', 'sdk/README.md', ...lists.flat().toSorted()]
}

export async function blocksOf(page: string): Promise<Block[]> {
  return blocksIn(page, await readFile(join(root, page), 'utf8'))
}

export function blocksIn(page: string, markdown: string): Block[] {
  const blocks: Block[] = []
  const lines = markdown.split('\n')
  for (let at = 0; at < lines.length; at += 1) {
    const [, indent = '', fence = '', language = ''] = /^( *)(`{3,}|~{3,})\s*([^\s`]*)/.exec(lines[at] ?? '') ?? []
    if (fence === '') continue
    const end = lines.findIndex((line, later) => later > at && line.trim() === fence)
    if (end < 0) throw new Error(`${page}:${at + 1}: a block without an end`)
    const text = lines.slice(at + 1, end).map(line => `${line.slice(Math.min(indent.length, leading(line)))}\n`)
    const [, says = ''] = /^\s*<!-- code: (.*) -->$/.exec(lines[at - 1] ?? '') ?? []
    blocks.push({ page, line: at + 1, language, text: text.join(''), says })
    at = end
  }
  return blocks
}

function leading(line: string): number {
  return line.length - line.trimStart().length
}

export function nameOf({ page, line }: Block): string {
  return `${page}:${line}`
}
