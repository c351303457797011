// Whatever anybody writes: details have at most 64 KiB. What the interface takes is never cut; what it took once, under
// larger limits, or what is larger for whatever reason, is cut in its order, at code points, and told.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { HookDetails, HookType } from '@tillbell/sdk'
import * as fc from 'fast-check'
import { repetitions } from '../../test/support/repetitions.ts'
import {
  charge,
  customer,
  failed,
  merchant,
  noon,
  offer,
  processing,
  sale,
  service,
} from '../../test/support/sale-samples.ts'
import { hookDetails, type News } from './hook-details.ts'
import { keptLine } from './kept-text.ts'
import { defaultCurrency } from './money.ts'
import { type Offer, offerDetailsBytes, offerDetailsBytesMax } from './offer.ts'
import type { Operation } from './operation.ts'
import { answersBytesMax } from './people.ts'
import type { Sale } from './sale.ts'
import { detailsBytesMax, jsonBytes, serialiseDetails } from './serialise-details.ts'

const types = ['pre_sale', 'success', 'far', 'error', 'refund', 'void', 'dispute'] as const satisfies HookType[]

/** As wide as they come, alone and mixed: escaped, three and four bytes, combining, joined. */
const widest = ['a', '"', '\\', '\u0001', 'é', 'e\u0301', '语', '😀', '👩‍👩‍👧‍👦', '\u{1f1e9}\u{1f1ea}']
const anyAlphabet = fc.oneof(
  fc.constantFrom(...widest).map(one => [one]),
  fc.array(fc.oneof(fc.constantFrom(...widest), fc.string({ unit: 'binary', minLength: 1 })), {
    minLength: 1,
    maxLength: 8,
  }),
)

/** So many code points at most, as REST counts them, and so many bytes as it lets in. */
function longest(alphabet: readonly string[], charsMax: number, bytesMax = 4 * charsMax): string {
  const once = [...alphabet.join('')]
  const points = Array.from({ length: charsMax }, (_, index) => once[index % once.length])
  return withinBytes(points.join('').toWellFormed(), bytesMax)
}

function withinBytes(text: string, bytesMax: number): string {
  const kept: string[] = []
  const bytesOf = new Map<string, number>()
  let left = bytesMax
  for (const point of text) {
    const bytes = bytesOf.get(point) ?? jsonBytes(point)
    bytesOf.set(point, bytes)
    left -= bytes
    if (left < 0) break
    kept.push(point)
  }
  return kept.join('')
}

/** UTF-16 units, no control characters: as the page counts and takes. */
function typed(alphabet: readonly string[], unitsMax: number): string {
  const line = longest(alphabet, unitsMax, 6 * unitsMax).replace(/\p{Cc}/gu, '语')
  return line.slice(0, unitsMax).toWellFormed()
}

/** A link of this length, with the token behind it, is as long as links are made: every character of title and name takes nine. */
const longestMailTo = `mailto:transaction@pay.example?subject=${'%E9%90%98'.repeat(60)}&body=${'%E9%90%98'.repeat(160)}`

interface Limits {
  readonly offerBytes: number
  readonly answerBytes: number
  readonly notesChars: number
}
const now: Limits = { offerBytes: offerDetailsBytesMax, answerBytes: answersBytesMax, notesChars: 2_500 }
/** Of offers that were made before. */
const former: Limits = { ...now, offerBytes: 24_576 }

function filledOffer(alphabet: readonly string[], into: 'data' | 'fields' | 'details', { offerBytes }: Limits): Offer {
  const pageUrl = `https://shop.example/${'a'.repeat(into === 'data' ? 0 : 2_000)}`
  const tokenContent = `@${'A'.repeat(Math.ceil(((400 + pageUrl.length) * 4) / 3))}@`
  const bare: Offer = { ...offer, pageUrl, tokenContent, address: 'shipping', fulfillment: 2_147_483_647, details: '' }
  const room = offerBytes - offerDetailsBytes(bare) - 1_100
  const filled: Offer =
    into === 'details'
      ? { ...bare, details: longest(alphabet, 2_500, Math.floor(room / 2)), title: longest(alphabet, 255, 500) }
      : into === 'data'
        ? { ...bare, customData: { [longest(alphabet, 20)]: longest(alphabet, 30_000, room - 200) } }
        : { ...bare, customFields: [{ name: longest(alphabet, 30_000, room - 100), required: false }] }
  assert.ok(offerDetailsBytes(filled) <= offerBytes, `${offerDetailsBytes(filled)} bytes of an offer`)
  return filled
}

const anyLargeSale = (limits: Limits) =>
  fc
    .record({
      offered: anyAlphabet,
      bought: anyAlphabet,
      into: fc.constantFrom('data' as const, 'fields' as const, 'details' as const),
      byMail: fc.boolean(),
    })
    .map(({ offered, bought, into, byMail }): Sale => {
      const large = filledOffer(offered, into, limits)
      const line = (units: number) => typed(bought, units)
      const parts = { street: line(200), street2: line(200), city: line(100), state: line(100), zip: line(20) }
      const address = { ...parts, country: 'US', phone: line(40) }
      const names = { firstName: longest(bought, 100), lastName: longest(bought, 100) }
      const email = `${'é'.repeat(64)}@${'é'.repeat(189)}`
      const answers = {
        note: withinBytes(line(500), 1_500),
        more: withinBytes(line(6_144), limits.answerBytes - 1_540),
      }
      const entered = { ...names, billing: address, shipping: address, answers }
      const actionMailTo = `${longestMailTo}${large.tokenContent.slice(0, 900)}`
      const transaction = {
        ...processing,
        currency: defaultCurrency,
        quantity: 9999,
        referrerContext: longest(bought, 255),
        entered,
        ...(byMail && { source: 'Email Transaction' as const, actionMailTo, actionWants: 'limit' as const }),
      }
      return { ...sale, merchant, offer: large, customer: { ...customer, ...names, email }, transaction }
    })

function newsOf(type: HookType, alphabet: readonly string[], { notesChars }: Limits): News | undefined {
  const refund: Operation = {
    ...charge,
    kind: 'refund',
    outcome: 'succeeded',
    refundedBy: longest(alphabet, 255),
    refundedReason: longest(alphabet, notesChars),
  }
  if (type === 'refund') return { refund }
  if (type !== 'dispute') return undefined
  const reason = keptLine(alphabet.join('').repeat(300), 255)
  return {
    dispute: {
      gatewayRef: 'dp_1',
      amountMinor: 10_000n,
      currency: defaultCurrency,
      status: 'open',
      reason,
      openedAt: noon,
    },
  }
}

function serialised(some: Sale, type: HookType, news: News | undefined) {
  const { failure } = failed
  const transaction = type === 'error' ? { ...some.transaction, failure } : some.transaction
  const of = { type, asked: 'charge' as const, at: noon, ...(news !== undefined && { news }) }
  const details = hookDetails({ ...some, transaction }, service, of)
  const answered = Object.keys(some.transaction.entered?.answers ?? {})
  return { details, ...serialiseDetails(details, answered) }
}

describe('details of every kind, with every input as large as it may be', () => {
  for (const type of types) {
    test(`${type}: they fit, and nothing is cut`, () => {
      fc.assert(
        fc.property(anyLargeSale(now), anyAlphabet, (some, alphabet) => {
          const { text, details } = serialised(some, type, newsOf(type, alphabet, now))
          assert.ok(Buffer.byteLength(text) <= detailsBytesMax, `${Buffer.byteLength(text)} bytes`)
          assert.equal(text, JSON.stringify(details))
        }),
        { numRuns: repetitions(20, 300) },
      )
    })

    test(`${type}: of an offer that was made under a larger limit they fit too, cut where that is allowed`, () => {
      fc.assert(
        fc.property(anyLargeSale(former), anyAlphabet, (some, alphabet) => {
          const { text, details, isTooLarge } = serialised(some, type, newsOf(type, alphabet, now))
          assert.ok(!isTooLarge && Buffer.byteLength(text) <= detailsBytesMax, `${Buffer.byteLength(text)} bytes`)
          assertOnlyCut(details, JSON.parse(text))
        }),
        { numRuns: repetitions(20, 300) },
      )
    })
  }
})

/** All is as it was but for the texts that `truncated` names, which are beginnings of what they were. */
function assertOnlyCut(whole: HookDetails, cut: HookDetails): void {
  const { truncated = [], ...rest } = cut as HookDetails & { refund?: { refunded_reason: string | null } }
  const restored = structuredClone(rest) as typeof whole
  const begins = (part: string | null, all: string | null) => {
    assert.ok((all ?? '').startsWith(part ?? ''), 'it begins as it did')
    assert.ok((part ?? '').isWellFormed(), 'no half of a character')
  }
  for (const name of truncated) {
    if (name === 'item_details') {
      begins(cut.user_data.item_details, whole.user_data.item_details)
      assert.equal(cut.user_data.item_details, cut.token.user_data.item_details)
      for (const part of [restored.user_data, restored.token.user_data]) {
        Object.assign(part, { item_details: whole.user_data.item_details, details: whole.user_data.details })
      }
    } else if (name === 'refunded_reason' && 'refund' in whole && 'refund' in restored) {
      begins(restored.refund?.refunded_reason ?? null, whole.refund?.refunded_reason ?? null)
      Object.assign(restored, { refund: whole.refund })
    } else {
      const field = name.replace(/^custom_data\./, '')
      begins(String(cut.user_data.custom_data[field]), String(whole.user_data.custom_data[field]))
      Object.assign(restored.user_data.custom_data, { [field]: whole.user_data.custom_data[field] })
    }
  }
  assert.deepEqual(restored, JSON.parse(JSON.stringify(whole)))
}

describe('what is cut', () => {
  const large = (some: Partial<Offer>, notes = 'n'.repeat(9_000)) => {
    const answers = { size: 'a'.repeat(3_000), color: 'b'.repeat(2_000) }
    const entered = { firstName: null, lastName: null, billing: null, shipping: null, answers }
    const any = { ...sale, offer: { ...offer, ...some }, transaction: { ...processing, entered } }
    const refund: Operation = { ...charge, kind: 'refund', outcome: 'succeeded', refundedReason: notes }
    const { text, isTooLarge } = serialised(any, 'refund', { refund })
    return { bytes: Buffer.byteLength(text), isTooLarge, details: JSON.parse(text) }
  }
  const data = (size: number) => ({ customData: { own: 'x'.repeat(size) } })

  test('is item_details first, alike in its four places, to just what fits', () => {
    const { bytes, details } = large({ details: 'd'.repeat(2_500), ...data(21_000) })
    assert.deepEqual(details.truncated, ['item_details'])
    const { item_details } = details.user_data
    assert.ok(item_details.length > 0 && item_details.length < 2_500)
    for (const part of [details.user_data, details.token.user_data]) {
      assert.deepEqual([part.item_details, part.details], [item_details, item_details])
    }
    assert.ok(bytes <= detailsBytesMax && bytes > detailsBytesMax - 8, `${bytes} bytes`)
  })

  test('is then notes, then the longest answer; the merchant’s own data stay', () => {
    const notes = large({ details: 'd'.repeat(100), ...data(26_000) }).details
    assert.deepEqual(notes.truncated, ['item_details', 'refunded_reason'])
    assert.equal(notes.user_data.item_details, '')
    const all = large({ details: 'd', ...data(30_500) }).details
    assert.deepEqual(all.truncated, ['item_details', 'refunded_reason', 'custom_data.size'])
    assert.equal(all.user_data.custom_data.own.length, 30_500)
    assert.equal(all.user_data.custom_data.color.length, 2_000)
  })

  test('ends between two code points', () => {
    for (let shift = 0; shift < 4; shift++) {
      const { details } = large({ details: null, ...data(25_500 + shift) }, '😀'.repeat(2_500))
      assert.deepEqual(details.truncated, ['refunded_reason'])
      assert.match(details.refund.refunded_reason, /^(😀)+$/u)
    }
  })

  test('may be all that there is: then it is told, and written as it is', () => {
    const { isTooLarge, bytes, details } = large({ details: 'd', ...data(40_000) })
    assert.ok(isTooLarge && bytes > detailsBytesMax)
    assert.deepEqual(details.truncated, ['item_details', 'refunded_reason', 'custom_data.size', 'custom_data.color'])
    assert.equal(details.user_data.custom_data.own.length, 40_000)
    assert.equal(details.refund.refunded_reason, '')
  })
})
