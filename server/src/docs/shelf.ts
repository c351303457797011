// The files of the docs folder, as they are when the first page is asked for. What is served is looked up here by its address
// and never by a path that somebody sent.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { Marked, type Tokens } from 'marked'

/** A page, by the path of its file in the folder. */
export interface Place {
  /** Behind /docs/; the index has none. */
  readonly address: string
  readonly file: string
  /** As the index calls it. */
  readonly name: string
}

export interface Group {
  readonly name: string
  readonly places: readonly Place[]
}

export interface Source {
  readonly file: string
  readonly markdown: string
}

export interface Shelf {
  /** The sidebar. */
  readonly groups: readonly Group[]
  /** The text of each page by its address. */
  readonly pages: ReadonlyMap<string, Source>
  /** Pictures and schemas by their address, and where they are. */
  readonly files: ReadonlyMap<string, string>
}

const index = 'README.md'
const fileTypes: { readonly [ending: string]: string } = { '.png': 'image/png', '.json': 'application/json' }

/** The guide of the sdk lies with the sdk, and is a page of the site all the same. As pages of the docs folder name it. */
const sdkGuide = '../sdk/README.md'
/** The folder of examples has an index for those who have the source; here a page shows the examples themselves. */
const exampleIndex = '../examples/README.md'

/** Where each may be: the first that is there. Null: the folder is nowhere. */
export function openShelf(folders: readonly string[], sdkGuides: readonly string[]): Shelf | null {
  const folder = folders.find(each => existsSync(join(each, index)))
  if (folder === undefined) return null
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
  return {
    groups: groupsIn(readFileSync(join(folder, index), 'utf8')),
    pages: new Map([
      ...names
        .filter(name => name.endsWith('.md'))
        .map(file => [addressOf(file), source(file, join(folder, file))] as const),
      ...sdkGuides
        .filter(existsSync)
        .slice(0, 1)
        .map(path => [addressOf(sdkGuide), source(sdkGuide, path)] as const),
    ]),
    files: new Map(names.filter(name => typeOf(name) !== undefined).map(name => [name, join(folder, name)])),
  }
}

/** Read when it is asked for: all of them at once would keep others waiting. */
function source(file: string, path: string): Source {
  return {
    file,
    get markdown() {
      return readFileSync(path, 'utf8')
    },
  }
}

export function typeOf(file: string): string | undefined {
  return fileTypes[extname(file)]
}

/** `gateways/README.md` is /docs/gateways, `hooks.md` is /docs/hooks. */
export function addressOf(file: string): string {
  if (file === sdkGuide) return 'sdk'
  if (file === exampleIndex) return 'examples'
  return file.replace(/(^|\/)README\.md$/, '').replace(/\.md$/, '')
}

/** The index has a heading for each group, and a list of its pages: the order of the files is the order of the site. */
function groupsIn(markdown: string): Group[] {
  const groups: { name: string; places: Place[] }[] = []
  for (const token of new Marked().lexer(markdown)) {
    if (token.type === 'heading' && token.depth === 2) groups.push({ name: token.text, places: [] })
    if (token.type !== 'list') continue
    const places = (token as Tokens.List).items.map(({ text }) => placeIn(text)).filter(place => place !== null)
    groups.at(-1)?.places.push(...places)
  }
  return groups
}

function placeIn(item: string): Place | null {
  const [, name, file] = /^\[([^\]]+)\]\(([^)#]+\.md)\)/.exec(item) ?? []
  return name === undefined || file === undefined ? null : { name, file, address: addressOf(file) }
}
