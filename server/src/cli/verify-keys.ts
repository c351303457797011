// Keys and signatures as somebody may have changed them, changed back.

import type { CauseCode } from './verify-causes.ts'

/** A key as it was given, and what it is called when there are several. */
export interface NamedKey {
  readonly name: string
  readonly text: string
}

export interface KeyCandidate {
  readonly given: NamedKey
  /** What HMAC is keyed with. */
  readonly key: string | Buffer
  readonly causes: readonly CauseCode[]
}

type Undo = readonly [cause: CauseCode, signs: RegExp, back: (text: string) => string]

const keyUndoes: readonly Undo[] = [
  ['key_white_space', /^\s|\s$/, text => text.trim()],
  ['key_quoted', /^(["'`]).*\1$/s, text => text.slice(1, -1)],
  ['key_url_encoded', /%(?:2b|2f|3d)/i, text => text.replace(/%(?:2b|2f|3d)/gi, decodeURIComponent)],
  ['key_blank', /\S \S/, text => text.replaceAll(' ', '+')],
  ['key_base64url', /[-_]/, text => text.replaceAll('-', '+').replaceAll('_', '/')],
  ['key_padding', /^[A-Za-z0-9+/]{43}$/, text => `${text}=`],
  ['key_decoded', /^[0-9a-f]{64}$/i, text => Buffer.from(text, 'hex').toString('base64')],
]

export function keyCandidates(given: NamedKey): KeyCandidate[] {
  const undone = undoneBy(keyUndoes, given.text)
  return undone.flatMap(({ text, causes }) => [
    { given, key: text, causes },
    ...(isKey(text)
      ? [{ given, key: Buffer.from(text, 'base64'), causes: [...causes, 'signed_with_bytes' as const] }]
      : []),
  ])
}

/** 32 bytes in base64. */
function isKey(text: string): boolean {
  return /^[A-Za-z0-9+/]{43}=$/.test(text)
}

export interface SignatureCandidate {
  /** In lower-case hexadecimal digits, where it could be brought into them. */
  readonly text: string
  readonly causes: readonly CauseCode[]
}

const signatureUndoes: readonly Undo[] = [
  ['signature_white_space', /^\s|\s$/, text => text.trim()],
  ['signature_quoted', /^(["'`]).*\1$/s, text => text.slice(1, -1)],
  ['signature_prefix', /^\w+[=:,]\s*\S/, text => text.replace(/^\w+[=:,]\s*/, '')],
  ['signature_upper_case', /^(?=.*[A-F])[0-9A-F]{40}(?:[0-9A-F]{24})?$/i, text => text.toLowerCase()],
  [
    'signature_base64',
    /^(?:[\w+/-]{27}=?|[\w+/-]{43}=?)$/,
    text => Buffer.from(text.replaceAll('-', '+').replaceAll('_', '/'), 'base64').toString('hex'),
  ],
]

export function signatureCandidates(given: string): SignatureCandidate[] {
  return undoneBy(signatureUndoes, given)
}

/** Each by itself, and one after the other. */
function undoneBy(undoes: readonly Undo[], given: string): { text: string; causes: CauseCode[] }[] {
  const found = new Map<string, CauseCode[]>([[given, []]])
  for (const [text, causes] of found) {
    for (const [cause, signs, back] of undoes) {
      const undone = signs.test(text) ? back(text) : text
      // A map that grows while it is walked through shows what was added, too.
      if (!found.has(undone)) found.set(undone, [...causes, cause])
    }
  }
  return [...found].map(([text, causes]) => ({ text, causes }))
}
