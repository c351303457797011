// What is said at once: a heading, and a sentence or two.

import type { Html } from '../html.ts'

export interface Said {
  readonly heading: string
  readonly sentences: readonly (Html | string)[]
}

export function said(heading: string, ...sentences: Said['sentences']): Said {
  return { heading, sentences }
}
