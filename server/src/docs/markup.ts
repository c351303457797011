// HTML as text. All of it comes from files of our own; what was typed by somebody, a search, is escaped like everything else.

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}

/** Ours are numbers; these are those of the Markdown renderer. */
const named: { readonly [name: string]: string } = { quot: '"', lt: '<', gt: '>', amp: '&' }

/** Plain text of a piece of HTML that we wrote. */
export function withoutMarkup(html: string): string {
  return html
    .replace(/<[^>]*>/g, '')
    .replace(/&(?:#(\d+)|(quot|lt|gt|amp));/g, (_, code, name) => named[name] ?? String.fromCharCode(Number(code)))
}
