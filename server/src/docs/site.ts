// All pages of the docs, each made when it is first asked for, and kept.

import { readFileSync } from 'node:fs'
import { setImmediate as othersTurn } from 'node:timers/promises'
import { contentVersion, namedFile } from '../http/named-files.ts'
import { laidOut, type Site } from './layout.ts'
import { escaped } from './markup.ts'
import { meant, type Nearest, type Vocabulary, vocabularyOf } from './meant.ts'
import { type Described, operationSections } from './operations.ts'
import { type ReadPage, readPage, type Surroundings } from './read-page.ts'
import { type Hit, type Indexed, indexed, search, weightOfRequests } from './search.ts'
import type { Shelf } from './shelf.ts'

export const style = namedFile('/docs/files', new URL('docs.css', import.meta.url))
export const script = namedFile('/docs/files', new URL('docs.js', import.meta.url))

export interface MadePage {
  readonly html: string
  readonly etag: string
}

export interface Docs {
  /** Null: there is no such page. */
  page(address: string): MadePage | null
  read(address: string): ReadPage | null
  searched(asked: string): Promise<string>
  nothingHere(): string
  readonly site: Site
}

/** What the docs know of the service beside their files. */
export interface Knowledge {
  /** The OpenAPI document. */
  described(): Described
  readonly nearest: Nearest
}

interface SearchIndex {
  readonly sections: readonly Indexed[]
  readonly vocabulary: Vocabulary
}

export function makeDocs(shelf: Shelf, root: string, knowledge: Knowledge): Docs {
  const site: Site = { root, groups: shelf.groups, style: style.path, script: script.path }
  const around = surroundings(shelf, root)
  const made = new Map<string, MadePage>()
  const known = new Map<string, ReadPage>()
  let index: Promise<SearchIndex> | null = null
  const read = (address: string): ReadPage | null => {
    const source = shelf.pages.get(address)
    if (source === undefined) return null
    const page = known.get(address) ?? readPage(source.markdown, source.file, around)
    known.set(address, page)
    return page
  }
  return {
    site,
    read,
    page(address) {
      const page = made.get(address) ?? asPage(site, address, read(address))
      if (page !== null) made.set(address, page)
      return page
    },
    async searched(asked) {
      index ??= makeIndex(shelf, read, knowledge)
      const { sections, vocabulary } = await index
      const found = search(sections, asked)
      const other = found.length === 0 ? meant(sections, vocabulary, asked, knowledge.nearest) : null
      return laidOut(site, { title: 'Search', address: null, asked, content: hits(root, asked, found, other) })
    },
    nothingHere: () => laidOut(site, { title: 'There is nothing here', address: null, content: nothing(root) }),
  }
}

/**
 * In the order of the sidebar, which puts what one builds with before what one runs it with, and the reasons last. To read all pages
 * takes a quarter of a second, and payments are made in the same process: so it is done page by page.
 */
async function makeIndex(shelf: Shelf, read: Docs['read'], { described }: Knowledge): Promise<SearchIndex> {
  const sections: Indexed[] = []
  for (const { address } of shelf.groups.flatMap(({ places }) => places)) {
    const page = read(address)
    if (page !== null) sections.push(...indexed(address, page))
    await othersTurn()
  }
  const reference = { title: 'API reference', html: '', headings: [], sections: operationSections(described()) }
  sections.push(...indexed('api', reference, weightOfRequests))
  await othersTurn()
  return { sections, vocabulary: vocabularyOf(sections) }
}

export function withEtag(html: string): MadePage {
  return { html, etag: `"${contentVersion(html)}"` }
}

function asPage(site: Site, address: string, page: ReadPage | null): MadePage | null {
  if (page === null) return null
  const { title, html: content, headings } = page
  return withEtag(laidOut(site, { title, address, content, headings }))
}

function surroundings(shelf: Shelf, root: string): Surroundings {
  return {
    root,
    has: address => shelf.pages.has(address) || shelf.files.has(address),
    size(address) {
      const file = shelf.files.get(address)
      if (file === undefined || !file.endsWith('.png')) return null
      // A PNG begins with its signature and a header: width and height are its first two numbers.
      const bytes = readFileSync(file)
      return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
    },
  }
}

/** `other`: what may have been meant, where nothing was found. */
function hits(root: string, asked: string, found: readonly Hit[], other: string | null): string {
  const said =
    asked.trim() === ''
      ? 'Type what you look for into the field above.'
      : `${countSaid(found.length)} for <strong>${escaped(asked.trim())}</strong>.`
  const items = found.map(({ address, title, heading, excerpt }) => {
    const anchor = heading === null ? '' : `#${heading.anchor}`
    const name = heading === null ? title : `${title}: ${heading.text}`
    const text = excerpt.map((part, at) => (at % 2 === 1 ? `<mark>${escaped(part)}</mark>` : escaped(part))).join('')
    return `<li><a href="${root}/docs/${address}${anchor}">${escaped(name)}</a><p>${text}</p></li>`
  })
  const list = items.length === 0 ? nothingFound(root, asked, other) : `<ol class="hits">${items.join('\n')}</ol>`
  return `<h1>Search</h1>\n<p>${said}</p>\n${list}`
}

function nothingFound(root: string, asked: string, other: string | null): string {
  if (asked.trim() === '') return ''
  const hint = '<p>All words must be in one place of a page. Try fewer of them, or others.</p>'
  if (other === null) return hint
  return `<p>Did you mean <a href="${root}/docs/search?q=${encodeURIComponent(other)}">${escaped(other)}</a>?</p>\n${hint}`
}

function countSaid(count: number): string {
  if (count === 0) return 'Nothing was found'
  return count === 1 ? 'One place' : `${count} places`
}

function nothing(root: string): string {
  return `<h1>There is nothing here</h1>
<p>The address may be mistyped, or the page has moved. Search above, or begin at the <a href="${root}/docs">first page</a>.</p>`
}
