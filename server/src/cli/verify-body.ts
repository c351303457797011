// A hook's body: its two parameters, also where it is not the form any more that was posted.

import type { CauseCode } from './verify-causes.ts'

export interface Pair {
  readonly details: string
  readonly signature: string
  readonly causes: readonly CauseCode[]
}

/** The pairs that may have been meant, or a sentence that says what is missing. */
export function readBody(body: string): { readonly pairs: readonly Pair[] } | { readonly missing: string } {
  const bom: CauseCode[] = body.startsWith('\ufeff') ? ['bom'] : []
  const text = bom.length > 0 ? body.slice(1) : body
  const readings = [fromMultipart(text), fromJson(text), fromForm(text), fromDecoded(text)]
  const pairs = readings.filter(pair => pair !== null).map(pair => ({ ...pair, causes: [...bom, ...pair.causes] }))
  return pairs.length > 0 ? { pairs } : { missing: whatIsMissing(text) }
}

function fromForm(text: string): Pair | null {
  const form = new URLSearchParams(text)
  const [details, signature] = [form.get('details'), form.get('signature')]
  return details === null || signature === null ? null : { details, signature, causes: [] }
}

/** Decoded as a whole, it may hold & and + of its own. */
function fromDecoded(text: string): Pair | null {
  const [, details, signature] = /^details=(\s*\{.*\}\s*)&signature=([^&]*)$/s.exec(text) ?? []
  return details === undefined || signature === undefined ? null : { details, signature, causes: ['body_decoded'] }
}

function fromJson(text: string): Pair | null {
  if (!/^\s*\{/.test(text)) return null
  try {
    const { details, signature } = JSON.parse(text)
    if (details === undefined || typeof signature !== 'string') return null
    const written = typeof details === 'string' ? details : JSON.stringify(details)
    return { details: written, signature, causes: ['body_json'] }
  } catch {
    return null
  }
}

function fromMultipart(text: string): Pair | null {
  const [boundary] = /^--[^\r\n]+/.exec(text.trimStart()) ?? []
  if (boundary === undefined) return null
  const part = (name: string) => {
    const own = text.split(boundary).find(each => new RegExp(`name="${name}"`, 'i').test(each))
    return own?.replace(/^.*?\r?\n\r?\n/s, '').replace(/\r?\n$/, '')
  }
  const [details, signature] = [part('details'), part('signature')]
  return details === undefined || signature === undefined ? null : { details, signature, causes: ['body_multipart'] }
}

function whatIsMissing(text: string): string {
  if (text.trim() === '') return 'The body is empty: something read it before you did.'
  const names = [...new URLSearchParams(text).keys()]
  const missing = ['details', 'signature'].filter(name => !names.includes(name))
  return `The body has no ${missing.join(' and no ')}: it is not the form that a hook posts.`
}
