// The words of an HTML mail, as lines of text, without the elements in which mail programs quote.

const hidden = new Set(['head', 'style', 'script', 'title', 'template'])
const breaking = /^(br|p|div|tr|td|th|li|ul|ol|h[1-6]|table|hr|pre|section|article|header|footer)$/
const quoteClasses =
  /(?:^|[\s"'])(gmail_quote|gmail_quote_container|gmail_extra|yahoo_quoted|moz-cite-prefix|moz-forward-container|protonmail_quote|zmail_extra)(?:$|[\s"'])/
const restQuoted = /\bid\s*=\s*["']?(divRplyFwdMsg|appendonsend|mail-editor-reference-message-container)\b/i
const tagCharsMax = 4_096

export interface HtmlWords {
  readonly all: string
  /** Without what is quoted. */
  readonly own: string
  /** Whether it ends inside of a quotation. */
  readonly endsQuoted: boolean
}

export function htmlWords(html: string): HtmlWords {
  const all: string[] = []
  const own: string[] = []
  const skip = { hidden: createSkipper(), quoted: createSkipper() }
  let isRestQuoted = false
  for (const { text, tag } of pieces(html)) {
    const words = tag === null ? decodeEntities(text) : breaking.test(tag.name) ? '\n' : ''
    if (tag !== null) {
      skip.hidden.see(tag, hidden.has(tag.name))
      skip.quoted.see(tag, isQuote(tag))
      isRestQuoted ||= restQuoted.test(tag.attributes)
    }
    if (skip.hidden.isIn()) continue
    all.push(words)
    if (!skip.quoted.isIn() && !isRestQuoted) own.push(words)
  }
  return { all: all.join(''), own: own.join(''), endsQuoted: skip.quoted.isIn() || isRestQuoted }
}

const plainTags = /^(?:html|head|meta|body|div|p|br|span|pre)$/
const plainAttributes =
  /^(?:\s+(?:(?:dir|class|id|lang|charset|http-equiv)\s*=\s*"?[\w-]{0,40}"?|content\s*=\s*"text\/html;\s*charset=[\w-]{1,20}"))*\s*\/?$/i
const plainAttributesMax = 8

/** Whether who sees the markup itself sees no other words: no comments, nothing that is hidden, and no texts in attributes. */
export function isPlainHtml(html: string): boolean {
  const tags = [...pieces(html)].flatMap(({ tag }) => tag ?? [])
  const isPlain = tags.every(({ name, attributes }) => plainTags.test(name) && plainAttributes.test(attributes))
  const attributes = tags.reduce((sum, tag) => sum + tag.attributes.split('=').length - 1, 0)
  return isPlain && attributes <= plainAttributesMax && htmlWords(html).all === wordsOutsideTags(html)
}

/** Of elements that are not shown, too. */
function wordsOutsideTags(html: string): string {
  const words = [...pieces(html)].map(({ text, tag }) => {
    if (tag === null) return decodeEntities(text)
    return breaking.test(tag.name) ? '\n' : ''
  })
  return words.join('')
}

interface Tag {
  readonly name: string
  readonly isEnd: boolean
  readonly attributes: string
}

function isQuote({ name, isEnd, attributes }: Tag): boolean {
  if (isEnd) return false
  if (name === 'blockquote' || /\btype\s*=\s*["']?cite\b/i.test(attributes)) return true
  const [, classes = ''] = /\bclass\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)/i.exec(attributes) ?? []
  return quoteClasses.test(classes)
}

/** Whether we are inside an element: it ends where as many of its name ended as began. */
function createSkipper() {
  let name: string | null = null
  let depth = 0
  return {
    isIn: () => name !== null,
    see(tag: Tag, begins: boolean) {
      if (name === null && begins && !tag.isEnd) name = tag.name
      if (name === null || tag.name !== name) return
      depth += tag.isEnd ? -1 : 1
      if (depth === 0) name = null
    },
  }
}

interface Piece {
  readonly text: string
  readonly tag: Tag | null
}

function* pieces(html: string): Generator<Piece> {
  let at = 0
  while (at < html.length) {
    const open = html.indexOf('<', at)
    if (open !== at) yield { text: html.slice(at, open < 0 ? html.length : open), tag: null }
    if (open < 0) return
    const end = endOfMarkup(html, open)
    yield end === null ? { text: '<', tag: null } : { text: '', tag: readTag(html.slice(open, end)) }
    at = end ?? open + 1
  }
}

/** After the `>`; null: this `<` begins nothing. */
function endOfMarkup(html: string, open: number): number | null {
  if (html.startsWith('<!--', open)) {
    const end = html.indexOf('-->', open + 4)
    return end < 0 ? html.length : end + 3
  }
  if (!/[a-z/!?]/i.test(html[open + 1] ?? '')) return null
  let quote = ''
  for (let at = open + 1; at < Math.min(html.length, open + tagCharsMax); at += 1) {
    const char = html[at] ?? ''
    if (quote !== '') quote = char === quote ? '' : quote
    else if (char === '>') return at + 1
    else if (char === '<') return null
    else if (char === '"' || char === "'") quote = char
  }
  return null
}

const noTag: Tag = { name: '', isEnd: false, attributes: '' }

function readTag(markup: string): Tag {
  const [, slash = '', name, attributes = ''] = /^<(\/?)([a-z][a-z0-9:-]*)([\s\S]*)>$/i.exec(markup) ?? []
  return name === undefined ? noTag : { name: name.toLowerCase(), isEnd: slash !== '', attributes }
}

const named: { readonly [name: string]: string } = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  shy: '',
  commat: '@',
  equals: '=',
  lowbar: '_',
  ZeroWidthSpace: '',
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,16}));/gi, (all, decimal, hex, name) => {
    if (name !== undefined) return named[name] ?? all
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : all
  })
}
