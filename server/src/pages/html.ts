// HTML as tagged templates: what stands in ${} is text and is escaped, another template is part of the page.

export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | string | number | null | readonly Html[]

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((text, string, index) => text + written(parts[index - 1] ?? null) + string))
}

/** A name in a sentence, whichever way its letters run. */
export function bdi(name: string): Html {
  return html`<bdi>${name}</bdi>`
}

/** Our own files, never anything from outside. */
export function trusted(text: string): Html {
  return new Html(text)
}

function written(part: Part): string {
  if (part === null) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(each => each.text).join('')
  return String(part).replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
