// Each mistake is made here as people make it, on a hook as the service writes it, and must be named.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import { hookBody, signDetails } from '@tillbell/sdk'
import * as fc from 'fast-check'
import { anySale, madeCharge, noon, sale, service, successful, usd } from '../../test/support/sale-samples.ts'
import { hookDetails } from '../core/hook-details.ts'
import { readBody } from './verify-body.ts'
import { type CauseCode, causes } from './verify-causes.ts'
import { writtenAgain } from './verify-rewriting.ts'
import { judge, type Verdict } from './verify-search.ts'

const key = 'OK4M40Bp5Nh/Jag+RXB9x1dI58ujH1mvhjF526jkqYs='
const another = 'bK7rVdQ0u2p8zX1cH5mN9sT3wY6aE4gJ0iL2oP8qR1U='
const made = hookDetails({ ...sale, transaction: successful }, service, { type: 'success', asked: 'charge', at: noon })
const parsed = { ...made, name: 'Zoë O’Hara', email: 'zoe+shop@example.com', referrer_context: '2 < 3 & 4/5' }
const details = JSON.stringify(parsed)
const signature = signDetails(details, key)

interface Given {
  readonly details?: string
  readonly signature?: string
  readonly keys?: readonly string[]
}

function verdictOn(given: Given): Verdict {
  const keys = (given.keys ?? [key]).map((text, index) => ({ name: `key ${index + 1}`, text }))
  return judge([{ details: given.details ?? details, signature: given.signature ?? signature, causes: [] }], keys)
}

/** Not authentic, for these reasons, and signed with the key once they are mended. */
function foundIn(given: Given, ...expected: readonly CauseCode[]): void {
  const { authentic, key: found, causes: why } = verdictOn(given)
  assert.deepEqual([authentic, found === null, why.toSorted()], [false, false, expected.toSorted()])
}

function bodyVerdict(body: string): Verdict {
  const read = readBody(body)
  if ('missing' in read) assert.fail(read.missing)
  return judge(read.pairs, [{ name: 'key', text: key }])
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  // In which order a merchant gave its own data, nobody knows afterwards.
  return Object.fromEntries(members.map(([name, member]) => [name, name === 'custom_data' ? member : sorted(member)]))
}

const escapeUnicode = (text: string) =>
  text.replace(/[\u0080-\uffff]/g, letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)

describe('what is authentic', () => {
  test('is, and nothing is found wrong with it', () => {
    assert.deepEqual(verdictOn({}), { authentic: true, key: { name: 'key 1', text: key }, causes: [] })
    assert.equal(bodyVerdict(hookBody(details, key)).authentic, true)
  })

  test('says which of several keys it was signed with', () => {
    const { authentic, key: found } = verdictOn({ keys: [another, key] })
    assert.deepEqual([authentic, found?.name], [true, 'key 2'])
  })
})

describe('a mistake with the details is named', () => {
  const mistakes: readonly (readonly [CauseCode, string])[] = [
    ['bom', `\ufeff${details}`],
    ['details_white_space', `${details}\n`],
    ['details_white_space', ` ${details}\r\n`],
    ['url_encoded', encodeURIComponent(details)],
    ['url_encoded', encodeURIComponent(details).replaceAll('%20', '+')],
    ['plus_for_blanks', decodeURIComponent(encodeURIComponent(details.replaceAll('+', '')).replaceAll('%20', '+'))],
    ['decoded_twice', details.replaceAll('+', ' ')],
    ['whole_body', hookBody(details, key)],
    ['json_string', JSON.stringify(details)],
    ['details_quoted', `'${details}'`],
    ['slashes_added', details.replace(/["'\\]/g, '\\$&')],
    ['html_escaped', details.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')],
    ['latin1', Buffer.from(details.replaceAll('’', "'")).toString('latin1')],
    ['json_spacing', JSON.stringify(parsed, null, 2)],
    ['json_slashes', details.replaceAll('/', '\\/')],
    ['json_unicode', escapeUnicode(details)],
    ['json_key_order', JSON.stringify(sorted(parsed))],
    ['json_empty_objects', details.replaceAll('{}', '[]')],
    ['json_otherwise', details.replace('"quantity":1', '"quantity":1.0')],
  ]
  for (const [cause, wrong] of mistakes) {
    test(`${cause}: ${wrong.slice(0, 30).replace(/\s+/g, ' ')}`, () => {
      assert.notEqual(wrong, details)
      const signed: { readonly [cause: string]: string } = {
        plus_for_blanks: details.replaceAll('+', ''),
        latin1: details.replaceAll('’', "'"),
      }
      foundIn({ details: wrong, signature: signDetails(signed[cause] ?? details, key) }, cause)
    })
  }

  test('several at once: PHP that writes again what it parsed; a file with a line break, still encoded', () => {
    const php = escapeUnicode(details).replaceAll('/', '\\/').replaceAll('{}', '[]')
    foundIn({ details: php }, 'json_slashes', 'json_unicode', 'json_empty_objects')
    foundIn({ details: `${encodeURIComponent(details)}\n` }, 'url_encoded', 'details_white_space')
    foundIn({ details: JSON.stringify(sorted(parsed), null, 4) }, 'json_spacing', 'json_key_order')
  })

  test('and where more mistakes would explain it as well, the fewest', () => {
    const encoded = encodeURIComponent(details)
    foundIn({ details: `${encoded}\n`, signature: signDetails(encoded, key) }, 'details_white_space')
  })
})

test('a key that every object has by birth is one like the others', () => {
  const written = '{"custom_data":{"constructor":{"b":1,"a":2},"__proto__":{"toString":[]}}}'
  assert.ok(writtenAgain(JSON.stringify(JSON.parse(written), null, 2)).some(({ text }) => text === written))
})

test('keys in another order are put back in theirs, whatever the hook tells of', () => {
  const dispute = {
    gatewayRef: 'd',
    amountMinor: 1n,
    currency: usd,
    status: 'open',
    reason: null,
    openedAt: noon,
  } as const
  const told = fc.constantFrom(
    ...(['pre_sale', 'success', 'far', 'error', 'void'] as const).map(type => ({ type })),
    { type: 'refund' as const, news: { refund: { ...madeCharge, kind: 'refund' as const } } },
    { type: 'dispute' as const, news: { dispute } },
  )
  fc.assert(
    fc.property(anySale, told, (any, of) => {
      const shipped = { ...any, offer: { ...any.offer, address: 'shipping' as const } }
      const written = JSON.stringify(hookDetails(shipped, service, { asked: 'nothing', at: noon, ...of }))
      const otherwise = JSON.stringify(sorted(JSON.parse(written)))
      assert.ok(
        writtenAgain(otherwise).some(({ text }) => text === written),
        written,
      )
    }),
  )
})

describe('a mistake with the key is named', () => {
  const bytes = Buffer.from(key, 'base64')
  const mistakes: readonly (readonly [CauseCode, string])[] = [
    ['key_white_space', `${key}\n`],
    ['key_white_space', ` ${key}`],
    ['key_quoted', `"${key}"`],
    ['key_url_encoded', encodeURIComponent(key)],
    ['key_blank', key.replaceAll('+', ' ')],
    ['key_base64url', key.replaceAll('+', '-').replaceAll('/', '_')],
    ['key_padding', key.slice(0, -1)],
    ['key_decoded', bytes.toString('hex')],
  ]
  for (const [cause, wrong] of mistakes) {
    test(`${cause}: ${wrong.trim()}`, () => foundIn({ keys: [wrong] }, cause))
  }

  test('signed_with_bytes: whoever signs tests of their own decodes the key', () => {
    foundIn({ signature: createHmac('sha1', bytes).update(details).digest('hex') }, 'signed_with_bytes')
  })

  test('and with which of several keys', () => {
    assert.equal(verdictOn({ details: `${details}\n`, keys: [another, key] }).key?.name, 'key 2')
  })
})

describe('a mistake with the signature is named', () => {
  const digest = createHmac('sha1', key).update(details)
  const encoded = encodeURIComponent(details)
  const sha256 = createHmac('sha256', key).update(details).digest('hex')
  const mistakes: readonly (readonly [CauseCode, string])[] = [
    ['signature_white_space', `${signature}\n`],
    ['signature_quoted', `"${signature}"`],
    ['signature_upper_case', signature.toUpperCase()],
    ['signature_prefix', `sha1=${signature}`],
    ['signature_base64', digest.digest('base64')],
    ['signature_cut', signature.slice(0, -3)],
    ['sha256', sha256],
    ['signed_encoded', signDetails(encoded, key)],
    ['signed_encoded', signDetails(encoded.replaceAll('%20', '+'), key)],
    ['signed_parameter', signDetails(`details=${encoded}`, key)],
    ['signed_parameter', signDetails(`details=${details}`, key)],
  ]
  for (const [cause, wrong] of mistakes) {
    test(`${cause}: ${wrong.trim()}`, () => foundIn({ signature: wrong }, cause))
  }

  test('several at once', () => {
    foundIn({ signature: `sha256=${sha256.toUpperCase()}` }, 'sha256', 'signature_prefix', 'signature_upper_case')
    foundIn(
      { details: `${details}\n`, signature: `${signature}\n`, keys: [`${key}\n`] },
      ...(['details_white_space', 'signature_white_space', 'key_white_space'] as const),
    )
  })
})

describe('a mistake with the body is named', () => {
  const boundary = '----WebKitFormBoundary7MA4'
  const part = (name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const mistakes: readonly (readonly [CauseCode, string])[] = [
    ['body_multipart', `${part('details', details)}${part('signature', signature)}--${boundary}--\r\n`],
    ['body_json', JSON.stringify({ details, signature })],
    ['body_json', JSON.stringify({ details: parsed, signature })],
    ['body_decoded', decodeURIComponent(hookBody(details, key))],
    ['bom', `\ufeff${hookBody(details, key)}`],
    ['signature_white_space', `${hookBody(details, key)}\n`],
    ['url_encoded', `details=${encodeURIComponent(encodeURIComponent(details))}&signature=${signature}`],
  ]
  for (const [cause, body] of mistakes) {
    test(`${cause}: ${body.slice(0, 20).trim()}`, () => {
      const { authentic, causes: why } = bodyVerdict(body)
      assert.deepEqual([authentic, why], [false, [cause]])
    })
  }

  test('and what it lacks is said in a sentence', () => {
    const missing = (body: string) => (readBody(body) as { missing?: string }).missing
    assert.match(missing(`details=${encodeURIComponent(details)}`) ?? '', /has no signature:/)
    assert.match(missing('a=1') ?? '', /has no details and no signature:/)
    assert.match(missing(' \n') ?? '', /is empty/)
  })
})

test('arguments that changed places are put back, whichever they are', () => {
  const places = [
    { details: signature, signature: details, keys: [key] },
    { details, signature: key, keys: [signature] },
    { details: key, signature, keys: [details] },
    { details: key, signature: details, keys: [signature] },
    { details: signature, signature: key, keys: [details] },
  ]
  for (const given of places) foundIn(given, 'swapped')
})

describe('where nothing fits, it is said what looks wrong, and nothing is claimed', () => {
  const looks: readonly (readonly [CauseCode, Given])[] = [
    ['api_secret', { keys: [`sk_${'A'.repeat(43)}`] }],
    ['api_key', { keys: [`pk_${'A'.repeat(43)}`] }],
    ['standard_webhooks_secret', { keys: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] }],
    ['object_as_text', { details: '[object Object]' }],
    ['details_not_json', { details: details.slice(0, 90) }],
    ['signature_shape', { signature: 'none' }],
    ['nothing_found', { keys: [another] }],
    ['nothing_found', { details: details.replace('"amount":"100.00"', '"amount":"1.00"') }],
  ]
  for (const [cause, given] of looks) {
    test(cause, () => assert.deepEqual(verdictOn(given), { authentic: false, key: null, causes: [cause] }))
  }
})

test('every cause says in one sentence what was found, and in one how to mend it', () => {
  for (const { found, mend } of Object.values(causes)) {
    for (const sentence of [found, mend]) assert.match(sentence, /^[A-Z].*\.$/)
  }
})
