// All pages of the docs, each made when it is first asked for, and kept.

import { readFileSync } from 'node:fs'
import { contentVersion, namedFile } from '../http/named-files.ts'
import { laidOut, type Site } from './layout.ts'
import { escaped } from './markup.ts'
import { type ReadPage, readPage, type Surroundings } from './read-page.ts'
import { type Hit, type Indexed, indexed, search } from './search.ts'
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
  searched(asked: string): string
  nothingHere(): string
  readonly site: Site
}

export function makeDocs(shelf: Shelf, root: string): Docs {
  const site: Site = { root, groups: shelf.groups, style: style.path, script: script.path }
  const around = surroundings(shelf, root)
  const made = new Map<string, MadePage>()
  const known = new Map<string, ReadPage>()
  let index: readonly Indexed[] | null = null
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
    searched(asked) {
      // In the order of the sidebar, which puts what one builds with before what one runs it with, and the reasons last.
      index ??= shelf.groups
        .flatMap(({ places }) => places)
        .flatMap(({ address }) => {
          const page = read(address)
          return page === null ? [] : indexed(address, page)
        })
      return laidOut(site, { title: 'Search', address: null, asked, content: hits(root, asked, search(index, asked)) })
    },
    nothingHere: () => laidOut(site, { title: 'There is nothing here', address: null, content: nothing(root) }),
  }
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

function hits(root: string, asked: string, found: readonly Hit[]): string {
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
  return `<h1>Search</h1>\n<p>${said}</p>\n${items.length === 0 ? '' : `<ol class="hits">${items.join('\n')}</ol>`}`
}

function countSaid(count: number): string {
  if (count === 0) return 'Nothing was found'
  return count === 1 ? 'One place' : `${count} places`
}

function nothing(root: string): string {
  return `<h1>There is nothing here</h1>
<p>The address may be mistyped, or the page has moved. Search above, or begin at the <a href="${root}/docs">first page</a>.</p>`
}
