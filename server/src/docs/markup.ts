// HTML as text. All of it comes from files of our own; what was typed by somebody, a search, is escaped like everything else.

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}

/** Plain text of a piece of HTML that we wrote. */
export function withoutMarkup(html: string): string {
  return html.replace(/<[^>]*>/g, '').replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
}
