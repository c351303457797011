// Details as somebody may have changed them, changed back. A candidate proves itself: its signature fits, or it does not.

import type { CauseCode } from './verify-causes.ts'
import { writtenAgain } from './verify-rewriting.ts'

export interface Candidate {
  readonly text: string
  /** What had to be undone to get here. */
  readonly causes: readonly CauseCode[]
}

type Undo = (text: string) => readonly Candidate[]

/** One that undoes a mistake where there are signs of it. */
function undo(cause: CauseCode, signs: RegExp, back: (text: string) => string | null): Undo {
  return text => {
    const undone = signs.test(text) ? back(text) : null
    return undone === null || undone === text ? [] : [{ text: undone, causes: [cause] }]
  }
}

const undoes: readonly Undo[] = [
  undo('bom', /^\ufeff/, text => text.slice(1)),
  undo('details_white_space', /^[^\S\ufeff]|\s$/, text => text.replace(/^[^\S\ufeff]+|\s+$/g, '')),
  undo('details_quoted', /^'.*'\s*$/s, text => text.trim().slice(1, -1)),
  undo('json_string', /^".*"\s*$/s, stringIn),
  undo('whole_body', /^(?:.*&)?details=/s, text => new URLSearchParams(text.trim()).get('details')),
  undo('url_encoded', /^%7b/i, text => decoded(text.replaceAll('+', ' '))),
  undo('plus_for_blanks', /\+/, text => text.replaceAll('+', ' ')),
  undo('slashes_added', /^\s*\{\\"/, text => text.replace(/\\(["'\\])/g, '$1')),
  undo('html_escaped', /&(?:quot|#0?34|amp|#0?39);/, unescapedHtml),
  undo('latin1', /[\u00c2-\u00f4][\u0080-\u00bf]/, fromLatin1),
  writtenAgain,
]

const stepsMax = 3

/** As given, and after up to three mistakes undone, fewest first. */
export function candidatesOf(given: string): Candidate[] {
  const found = new Map<string, Candidate>([[given, { text: given, causes: [] }]])
  let newest = [...found.values()]
  for (let step = 1; step <= stepsMax; step++) {
    const next: Candidate[] = []
    for (const { text, causes } of newest) {
      for (const undone of undoes.flatMap(each => each(text))) {
        if (found.has(undone.text)) continue
        const candidate = { text: undone.text, causes: [...causes, ...undone.causes] }
        found.set(undone.text, candidate)
        next.push(candidate)
      }
    }
    newest = next
  }
  return [...found.values()].sort((a, b) => a.causes.length - b.causes.length)
}

/** Which blanks were "+" nobody can see, so every choice is tried, up to so many blanks. */
const blanksMax = 12

export function* beforeSecondDecoding(text: string): Generator<Candidate> {
  const blanks = [...text.matchAll(/ /g)].map(({ index }) => index)
  const likely = blanks.filter(index => isLikelyPlus(text, index))
  const tried = blanks.length <= blanksMax ? blanks : likely.slice(0, blanksMax)
  for (let chosen = 1; chosen < 2 ** tried.length; chosen++) {
    const letters = [...text.split('')]
    for (const [bit, index] of tried.entries()) if ((chosen & (2 ** bit)) !== 0) letters[index] = '+'
    yield { text: letters.join(''), causes: ['decoded_twice'] }
  }
}

/** In an address (ada+shop@example.com), or before the offset of a time. */
function isLikelyPlus(text: string, index: number): boolean {
  return /^ [^\s"@]*@/.test(text.slice(index, index + 80)) || /^ \d\d:\d\d"/.test(text.slice(index, index + 8))
}

function stringIn(text: string): string | null {
  try {
    const value = JSON.parse(text)
    return typeof value === 'string' ? value : null
  } catch {
    return null
  }
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

const entities: { readonly [name: string]: string } = {
  '&quot;': '"',
  '&#34;': '"',
  '&#034;': '"',
  '&#39;': "'",
  '&#039;': "'",
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
}

function unescapedHtml(text: string): string {
  return text.replace(/&(?:quot|lt|gt|amp|#0?3[49]);/g, entity => entities[entity] ?? entity)
}

function fromLatin1(text: string): string | null {
  if (/[\u0100-\uffff]/.test(text)) return null
  const back = Buffer.from(text, 'latin1').toString('utf8')
  return back.includes('\ufffd') ? null : back
}
