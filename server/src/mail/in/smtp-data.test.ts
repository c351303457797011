import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { chanceOf, pick } from '../../../test/support/hostile/chance.ts'
import { until } from '../../../test/support/until.ts'
import { DataDecoder, readMail } from './smtp-data.ts'

/** In pieces; with what follows the end, or null where there is none. */
function decode(pieces: readonly string[]): { mail: string; rest: string | null } {
  const decoder = new DataDecoder()
  let mail = ''
  for (const [place, piece] of pieces.entries()) {
    const chunk = Buffer.from(piece, 'latin1')
    const { content, end } = decoder.read(chunk)
    mail += content.toString('latin1')
    if (end !== null) return { mail, rest: chunk.toString('latin1', end) + pieces.slice(place + 1).join('') }
  }
  return { mail, rest: null }
}

/** The same by the RFC, of all that was sent. */
function expected(sent: string): { mail: string; rest: string | null } {
  const end = sent.startsWith('.\r\n') ? -2 : sent.indexOf('\r\n.\r\n')
  const undouble = (text: string) => text.replace(/(^|\r\n)\.\./g, '$1.')
  if (end === -1) return { mail: undouble(sent), rest: null }
  return { mail: undouble(sent.slice(0, end + 2)), rest: sent.slice(end + 5) }
}

test('doubled dots are single, and a lone one ends the mail, wherever it is cut into pieces', () => {
  const chance = chanceOf(20_261_115)
  const bytes = ['.', '.', '.', '\r', '\n', '\r\n', '\r\n', 'a', '\r\n.', '\r\n.\r\n']
  for (let count = 0; count < 20_000; count += 1) {
    const sent = Array.from({ length: chance(12) }, () => pick(bytes, chance)).join('')
    const whole = decode([sent])
    const cut = chance(sent.length + 1)
    for (const pieces of [[...sent], [sent.slice(0, cut), sent.slice(cut)]])
      assert.deepEqual(decode(pieces), whole, JSON.stringify(pieces))
    const want = expected(sent)
    assert.equal(whole.rest, want.rest, JSON.stringify(sent))
    // What may still become the end is held back until it is known.
    assert.ok(want.rest === null ? want.mail.startsWith(whole.mail) : want.mail === whole.mail, JSON.stringify(sent))
    assert.ok(want.mail.length - whole.mail.length <= 2)
  }
})

test('a chunk is one piece, however many dots it has', () => {
  const { content, end } = new DataDecoder().read(Buffer.from('..\r\n'.repeat(250_000)))
  assert.deepEqual([content.length, end], [750_000, null])
})

test('a mail is the same in pieces of any size, and what is too big is not kept', async () => {
  const sent = Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 251))
  for (const size of [7, 1_000, 65_536, 200_000]) {
    const pieces = Array.from({ length: Math.ceil(sent.length / size) }, (_, at) =>
      sent.subarray(at * size, (at + 1) * size),
    )
    assert.deepEqual(await readMail(Readable.from(pieces), sent.length), sent)
    assert.equal(await readMail(Readable.from(pieces), sent.length - 1), 'too big')
  }
  assert.deepEqual(await readMail(Readable.from([]), 10), Buffer.alloc(0))
})

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

test('a mail in many tiny pieces keeps none of them', async () => {
  let collected = 0
  const registry = new FinalizationRegistry(() => {
    collected += 1
  })
  async function* bytes() {
    for (let count = 0; count < 5_000; count += 1) {
      const piece = Buffer.alloc(1)
      registry.register(piece, null)
      yield piece
      if (count === 4_999)
        await until('pieces are collected', async () => {
          collect()
          return collected > 1_000
        })
    }
  }
  // `gone` where the generator gave up waiting.
  assert.deepEqual(await readMail(Readable.from(bytes()), 10_000), Buffer.alloc(5_000))
})
