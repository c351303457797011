// A page of Markdown, read: its HTML, its headings, and its text by section for the search.

import { posix } from 'node:path'
import { Marked, TextRenderer, type Token, type Tokens } from 'marked'
import { anchorMaker } from './anchors.ts'
import { colouredLanguages, highlighted } from './highlight.ts'
import { escaped, withoutMarkup } from './markup.ts'
import { addressOf } from './shelf.ts'

export interface Heading {
  readonly depth: number
  readonly text: string
  readonly anchor: string
}

export interface Section {
  /** None: what stands before the first heading below the title. */
  readonly heading: Heading | null
  readonly text: string
}

export interface ReadPage {
  readonly title: string
  readonly html: string
  readonly headings: readonly Heading[]
  readonly sections: readonly Section[]
}

export interface Surroundings {
  /** What stands before every path of ours. */
  readonly root: string
  /** Whether there is such a page, or such a file. */
  has(address: string): boolean
  /** Of a picture, by its address. */
  size(address: string): { readonly width: number; readonly height: number } | null
}

/** `file`: its path in the docs folder, which its links begin from. */
export function readPage(markdown: string, file: string, around: Surroundings): ReadPage {
  const headings = new Map<Token, Heading>()
  const marked = new Marked({ renderer: rendererFor(file, around, headings) })
  const tokens = marked.lexer(markdown)
  const anchorFor = anchorMaker()
  for (const token of tokens) {
    if (token.type !== 'heading') continue
    const text = plainText(marked, token as Tokens.Heading)
    headings.set(token, { depth: token.depth, text, anchor: anchorFor(text) })
  }
  const all = [...headings.values()]
  return {
    title: all.find(({ depth }) => depth === 1)?.text ?? file,
    html: marked.parser(tokens),
    headings: all,
    sections: sectionsOf(marked, tokens, headings),
  }
}

function plainText(marked: Marked, { tokens }: Tokens.Heading): string {
  return new marked.Parser().parseInline(tokens, new TextRenderer())
}

function sectionsOf(marked: Marked, tokens: readonly Token[], headings: ReadonlyMap<Token, Heading>): Section[] {
  const sections: { heading: Heading | null; tokens: Token[] }[] = [{ heading: null, tokens: [] }]
  for (const token of tokens) {
    const heading = headings.get(token)
    if (heading === undefined) sections.at(-1)?.tokens.push(token)
    else if (heading.depth > 1) sections.push({ heading, tokens: [] })
  }
  return sections.map(({ heading, tokens: own }) => ({
    heading,
    text: withoutMarkup(marked.parser(own).replace(/<\/(p|td|th|li|pre)>/g, '$& '))
      .replace(/\s+/g, ' ')
      .trim(),
  }))
}

function rendererFor(file: string, around: Surroundings, headings: ReadonlyMap<Token, Heading>) {
  return {
    heading(this: { parser: { parseInline(tokens: Token[]): string } }, token: Tokens.Heading): string {
      const { depth, anchor, text } = headings.get(token) ?? { depth: token.depth, anchor: '', text: token.text }
      const inner = this.parser.parseInline(token.tokens)
      if (depth === 1) return `<h1 id="${anchor}">${inner}</h1>\n`
      const link = `<a class="anchor" href="#${anchor}" aria-label="Link to: ${escaped(text)}">#</a>`
      return `<h${depth} id="${anchor}">${inner} ${link}</h${depth}>\n`
    },
    code({ text, lang = '' }: Tokens.Code): string {
      const language = lang.split(/\s/, 1)[0] ?? ''
      const name = colouredLanguages.has(language) ? ` data-language="${language}"` : ''
      // Whoever has no mouse must be able to scroll it, too.
      return `<pre tabindex="0"${name}><code>${highlighted(text, language)}</code></pre>\n`
    },
    codespan: ({ text }: Tokens.Codespan) => `<code>${escaped(text)}</code>`,
    // Nobody ticks it here, and a field without a name is a riddle to a screen reader.
    checkbox: () => '<span class="box" aria-hidden="true">☐</span> ',
    // Comments mark what is written by tests, or say how a block is run. What is long may be folded; nothing else is let through.
    html: ({ text }: Tokens.HTML | Tokens.Tag) =>
      escaped(text.replace(/<!--[\s\S]*?-->/g, '')).replace(/&#60;(\/?(?:details|summary))&#62;/g, '<$1>'),
    link(this: { parser: { parseInline(tokens: Token[]): string } }, { href, tokens }: Tokens.Link): string {
      const inner = this.parser.parseInline(tokens)
      const target = targetOf(href, file, around)
      // The page is read by people who may not have the source at hand: no link is better than one that leads nowhere.
      return target === null ? inner : `<a href="${escaped(target)}">${inner}</a>`
    },
    image({ href, text }: Tokens.Image): string {
      const address = posix.join(posix.dirname(file), href)
      const size = around.size(address)
      const room = size === null ? '' : ` width="${size.width}" height="${size.height}"`
      return `<img src="${escaped(`${around.root}/docs/${address}`)}" alt="${escaped(text)}"${room} loading="lazy">`
    },
    table(this: { parser: { parseInline(tokens: Token[]): string } }, { header, rows }: Tokens.Table): string {
      const inner = ({ tokens }: Tokens.TableCell) => this.parser.parseInline(tokens)
      return tableOf(
        header.map(inner),
        rows.map(row => row.map(inner)),
      )
    },
  }
}

/**
 * A phone has no room for more than two columns: there each row of such a table is a list, and each cell says its column's name. What
 * is laid out otherwise than as a table is one to a screen reader by its roles alone.
 */
function tableOf(names: readonly string[], rows: readonly (readonly string[])[]): string {
  const isWide = names.length > 2
  const role = (name: string) => (isWide ? ` role="${name}"` : '')
  const head = names.map(name => `<th${role('columnheader')}>${name}</th>`).join('')
  const cell = (html: string, at: number) => {
    const label = isWide ? ` data-column="${escaped(withoutMarkup(names[at] ?? ''))}"` : ''
    return `<td${role('cell')}${label}>${html}</td>`
  }
  const body = rows.map(row => `<tr${role('row')}>${row.map(cell).join('')}</tr>`).join('\n')
  const groups = `<thead${role('rowgroup')}><tr${role('row')}>${head}</tr></thead><tbody${role('rowgroup')}>\n${body}</tbody>`
  return `<div class="scroll" tabindex="0"><table${role('table')}${isWide ? ' class="many"' : ''}>${groups}</table></div>\n`
}

/** Where a link of a file leads on the site; null: to a file that is not of the docs. */
function targetOf(href: string, file: string, { root, has }: Surroundings): string | null {
  if (/^[a-z]+:/i.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const behind = anchor === undefined ? '' : `#${anchor}`
  if (path === '') return behind
  // The guide of the sdk is beside the docs folder, and comes back to it.
  const named = posix.join(posix.dirname(file), path).replace(/^\.\.\/docs\//, '')
  const address = named.endsWith('.md') ? addressOf(named) : named
  if (!has(address)) return null
  return `${root}/docs${address === '' ? '' : `/${address}`}${behind}`
}
