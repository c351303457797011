// The files that the pages are made of. Their address names their content, so a browser keeps them for good.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

export interface DocsFile {
  /** Behind the service's root. */
  readonly path: string
  readonly type: string
  readonly text: string
}

const types: { readonly [ending: string]: string } = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
}

/** A file of this folder. */
export function docsFile(name: string): DocsFile {
  const text = readFileSync(new URL(name, import.meta.url), 'utf8')
  const [stem = '', ending = ''] = name.split('.')
  return { path: `/docs/files/${stem}.${versionOf(text)}.${ending}`, type: types[ending] ?? '', text }
}

export function versionOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 12)
}

export const forGood = 'public, max-age=31536000, immutable'
