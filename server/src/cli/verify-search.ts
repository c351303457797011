// Whether a hook is authentic as given; and if not, the fewest mistakes with which it would be. HMAC itself is the judge: a
// mistake is only named when the signature fits once it is undone.

import { createHmac } from 'node:crypto'
import { verifyHook } from '@tillbell/sdk'
import type { Pair } from './verify-body.ts'
import type { CauseCode } from './verify-causes.ts'
import { beforeSecondDecoding, type Candidate, candidatesOf } from './verify-details.ts'
import { type KeyCandidate, keyCandidates, type NamedKey, signatureCandidates } from './verify-keys.ts'

export interface Verdict {
  readonly authentic: boolean
  /** Which key it was signed with; null: none of those given. */
  readonly key: NamedKey | null
  /** Why it is not authentic as given. With a key: mended, it would be. Without: what looks wrong. */
  readonly causes: readonly CauseCode[]
}

interface Match {
  readonly key: NamedKey
  readonly causes: readonly CauseCode[]
}

export function judge(pairs: readonly Pair[], keys: readonly NamedKey[]): Verdict {
  for (const { details, signature, causes } of pairs) {
    const key = keys.find(({ text }) => verifyHook(details, signature, text))
    if (key !== undefined) return { authentic: causes.length === 0, key, causes }
  }
  const match =
    fewest(pairs.flatMap(pair => matchesOf(pair, keys))) ??
    fewest(pairs.flatMap(pair => swaps(pair, keys).flatMap(([swapped, key]) => matchesOf(swapped, [key])))) ??
    fewest(pairs.flatMap(pair => decodedTwice(pair, keys)))
  if (match !== null) return { authentic: false, ...match }
  return { authentic: false, key: null, causes: looksOf(pairs[0], keys) }
}

function fewest(matches: readonly Match[]): Match | null {
  const [best = null] = matches.toSorted((a, b) => a.causes.length - b.causes.length)
  return best
}

function matchesOf(pair: Pair, keys: readonly NamedKey[]): Match[] {
  const signatures = new Map(signatureCandidates(pair.signature).map(({ text, causes }) => [text, causes]))
  return candidatesOf(pair.details).flatMap(details =>
    keys.flatMap(keyCandidates).flatMap(key =>
      digestsOf(details, key).flatMap(({ digest, causes }) => {
        const bySignature = signatures.get(digest) ?? cutShort(signatures, digest)
        const all = [...pair.causes, ...details.causes, ...key.causes, ...(bySignature ?? []), ...causes]
        return bySignature === null ? [] : [{ key: key.given, causes: all }]
      }),
    ),
  )
}

/** As the service signs; as another algorithm would; and over what else people sign. */
function digestsOf({ text }: Candidate, { key }: KeyCandidate) {
  const hmac = (algorithm: string, signed: string) => createHmac(algorithm, key).update(signed, 'utf8').digest('hex')
  const encoded = encodeURIComponent(text.toWellFormed())
  const signed: readonly (readonly [string, readonly CauseCode[]])[] = [
    [text, []],
    [encoded, ['signed_encoded']],
    [encoded.replaceAll('%20', '+'), ['signed_encoded']],
    [`details=${encoded}`, ['signed_parameter']],
    [`details=${text}`, ['signed_parameter']],
  ]
  return signed.flatMap(([over, causes]) => [
    { digest: hmac('sha1', over), causes },
    { digest: hmac('sha256', over), causes: [...causes, 'sha256' as const] },
  ])
}

/** Fewer digits than these fit by chance. */
const digitsMin = 16

function cutShort(signatures: ReadonlyMap<string, readonly CauseCode[]>, digest: string): readonly CauseCode[] | null {
  for (const [text, causes] of signatures) {
    if (text.length >= digitsMin && text.length < digest.length && digest.startsWith(text))
      return [...causes, 'signature_cut']
  }
  return null
}

function decodedTwice(pair: Pair, keys: readonly NamedKey[]): Match[] {
  const signatures = signatureCandidates(pair.signature)
  for (const { text, causes } of beforeSecondDecoding(pair.details.trim())) {
    for (const key of keys) {
      const match = signatures.find(signature => verifyHook(text, signature.text, key.text))
      if (match !== undefined) return [{ key, causes: [...pair.causes, ...causes, ...match.causes] }]
    }
  }
  return []
}

/** The same three in other places. */
function swaps({ details, signature, causes }: Pair, keys: readonly NamedKey[]): (readonly [Pair, NamedKey])[] {
  const also: CauseCode[] = [...causes, 'swapped']
  return keys.flatMap(({ name, text: key }) =>
    [
      [signature, details, key],
      [details, key, signature],
      [key, signature, details],
      [signature, key, details],
      [key, details, signature],
    ].map(([first = '', second = '', third = '']): readonly [Pair, NamedKey] => [
      { details: first, signature: second, causes: also },
      { name, text: third },
    ]),
  )
}

/** Where nothing fits: what can be seen without proof. */
function looksOf(pair: Pair | undefined, keys: readonly NamedKey[]): CauseCode[] {
  const { details = '', signature = '' } = pair ?? {}
  const isKey = (shape: RegExp) => keys.some(({ text }) => shape.test(text.trim()))
  const signs: [CauseCode, boolean][] = [
    ['api_secret', isKey(/^sk_/)],
    ['api_key', isKey(/^pk_/)],
    ['standard_webhooks_secret', isKey(/^whsec_/)],
    ['object_as_text', details.includes('[object Object]')],
    ['details_not_json', !details.includes('[object Object]') && !isJsonObject(details)],
    ['signature_shape', !/^[0-9a-f]{40}$/i.test(signature.trim())],
  ]
  const seen = signs.filter(([, isSeen]) => isSeen).map(([cause]) => cause)
  return seen.length > 0 ? seen : ['nothing_found']
}

function isJsonObject(text: string): boolean {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}
