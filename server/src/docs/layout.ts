// The frame of every page of the docs: a bar with the search, the sidebar, the page, and what is on it. Whole without a script.

import { escaped } from './markup.ts'
import type { Heading } from './read-page.ts'
import type { Group, Place } from './shelf.ts'

export interface Site {
  /** What stands before every path of ours. */
  readonly root: string
  readonly groups: readonly Group[]
  /** Paths of the files that every page needs. */
  readonly style: string
  readonly script: string
}

export interface Layout {
  readonly title: string
  /** Null: of no page of the sidebar. */
  readonly address: string | null
  readonly content: string
  readonly headings?: readonly Heading[]
  /** What stands in the search field. */
  readonly asked?: string
  /** Paths of files that this page needs beside those of all. */
  readonly styles?: readonly string[]
  readonly scripts?: readonly string[]
  /** Without sidebars: it has its own. */
  readonly isWide?: boolean
}

export function laidOut(site: Site, layout: Layout): string {
  const { root } = site
  const { title, content, styles = [], scripts = [], isWide = false } = layout
  const sheets = [site.style, ...styles].map(path => `<link rel="stylesheet" href="${root}${path}">`)
  const tags = [site.script, ...scripts].map(path => `<script src="${root}${path}" defer></script>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · Tillbell</title>
<link rel="icon" href="data:,">
${[...sheets, ...tags].join('\n')}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${bar(site, layout)}
<div class="${isWide ? 'wide' : 'columns'}">
${isWide ? '' : sidebar(site, layout)}<main id="content" tabindex="-1"${isWide ? '' : ' class="text"'}>
${isWide ? '' : narrowHeadings(layout)}${content}
${isWide ? '' : neighbours(site, layout)}</main>
${isWide ? '' : wideHeadings(layout)}</div>
</body>
</html>
`
}

function bar(site: Site, layout: Layout): string {
  const { root } = site
  return `<header class="bar">
<details class="menu"><summary>Menu</summary>
<nav aria-label="All pages">${places(site, layout)}</nav></details>
<a class="brand" href="${root}/docs">Tillbell <span>docs</span></a>
<form role="search" action="${root}/docs/search" method="get">
<label for="q" class="unseen">Search the docs</label>
<input id="q" name="q" type="search" placeholder="Search" maxlength="200" autocomplete="off" value="${escaped(layout.asked ?? '')}">
<button>Search</button>
</form>
<a class="dashboard" href="${root}/dashboard">Dashboard</a>
</header>`
}

function sidebar(site: Site, layout: Layout): string {
  return `<nav class="sidebar" aria-label="Pages">${places(site, layout)}</nav>\n`
}

function places({ root, groups }: Site, { address }: Layout): string {
  const item = (place: Place) => {
    const current = place.address === address ? ' aria-current="page"' : ''
    return `<li><a href="${root}/docs/${place.address}"${current}>${escaped(place.name)}</a></li>`
  }
  return groups.map(group => `<p>${escaped(group.name)}</p>\n<ul>${group.places.map(item).join('\n')}</ul>`).join('\n')
}

const listed = (headings: readonly Heading[] = []) => headings.filter(({ depth }) => depth === 2)

function headingLinks(headings: readonly Heading[]): string {
  const links = headings.map(({ anchor, text }) => `<li><a href="#${anchor}">${escaped(text)}</a></li>`)
  return `<ul>${links.join('\n')}</ul>`
}

/** One heading is no list. */
function wideHeadings({ headings }: Layout): string {
  const own = listed(headings)
  if (own.length < 2) return ''
  return `<nav class="here" aria-label="On this page"><p>On this page</p>\n${headingLinks(own)}</nav>\n`
}

function narrowHeadings({ headings }: Layout): string {
  const own = listed(headings)
  return own.length < 2 ? '' : `<details class="here"><summary>On this page</summary>\n${headingLinks(own)}</details>\n`
}

function neighbours({ root, groups }: Site, { address }: Layout): string {
  const all = groups.flatMap(group => group.places)
  const at = all.findIndex(place => place.address === address)
  const link = (place: Place | undefined, rel: string, says: string) =>
    place === undefined
      ? ''
      : `<a rel="${rel}" href="${root}/docs/${place.address}"><span>${says}</span> ${escaped(place.name)}</a>`
  // The index is before the first.
  const before = at > 0 ? link(all[at - 1], 'prev', 'Previous') : ''
  const after = address === '' || at >= 0 ? link(all[at + 1], 'next', 'Next') : ''
  return before + after === '' ? '' : `<nav class="neighbours" aria-label="Neighbours">${before}${after}</nav>\n`
}
