import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  keptSentence,
  type Listed,
  listedAs,
  ofSecond,
  sentencesMax,
  sentencesOf,
  stillToAnswer,
  withoutSentence,
  withReplaced,
  withSentence,
} from './for-person.ts'

const nothing = listedAs([])
const report = (number: number) => `The gateway reports ${number}.`
const reports = (count: number) => Array.from({ length: count }, (_, number) => report(number))
const after = (listed: Listed, sentences: readonly string[]) =>
  sentences.reduce((before, sentence) => withSentence(before, 'charge', sentence) ?? before, listed)

describe('what waits for a person', () => {
  test('is listed in the order in which it was said, each thing once', () => {
    const listed = after(nothing, [report(1), report(2), report(1)])
    assert.deepEqual(listed, { forPerson: report(1), moreForPerson: [report(2)] })
    assert.equal(withSentence(listed, 'charge', report(2)), null)
  })

  test('is answered one by one, in any order', () => {
    const listed = after(nothing, reports(3))
    assert.deepEqual(sentencesOf(withoutSentence(listed, report(0))), [report(1), report(2)])
    assert.deepEqual(sentencesOf(withoutSentence(listed, report(2))), [report(0), report(1)])
    assert.deepEqual(withoutSentence(listedAs([report(0)]), report(0)), nothing)
  })

  test('has an end, and says how much more there was', () => {
    const listed = after(nothing, reports(sentencesMax + 3))
    const sentences = sentencesOf(listed)
    assert.deepEqual(sentences.slice(0, -1), reports(sentencesMax))
    assert.match(sentences.at(-1) ?? '', /more about this charge .* only in the log: 3\. .* then dismiss this\.$/)
    const answered = after(withoutSentence(listed, report(0)), ['It is new.', 'It is one too many.'])
    assert.deepEqual(sentencesOf(answered).slice(-2), [String(sentences.at(-1)).replace(' 3.', ' 4.'), 'It is new.'])
    assert.equal(sentencesOf(answered).length, sentencesMax + 1)
  })

  test('is cut where it is too long', () => {
    assert.equal(keptSentence('x'.repeat(1_000_000)).length, 1_500)
  })
})

describe('once the operation has ended', () => {
  const second = ofSecond('charge', 'pi_2', 'pi_1')

  test('what was moved beside it is still to be looked into, and so is what is only in the log', () => {
    const listed = after(nothing, [report(1), second, ...reports(sentencesMax)])
    const left = sentencesOf(stillToAnswer(listed))
    assert.deepEqual([left.length, left[0]], [2, second])
    assert.match(left[1] ?? '', /only in the log/)
  })

  test('under another reference than before, the one before is what was moved beside it', () => {
    const ended = { kind: 'charge', gatewayRef: 'pi_2' } as const
    assert.deepEqual(sentencesOf(withReplaced(listedAs([second]), ended, 'pi_1')), [ofSecond('charge', 'pi_1', 'pi_2')])
    assert.deepEqual(withReplaced(nothing, ended, 'pi_2'), nothing)
    assert.deepEqual(withReplaced(nothing, ended, null), nothing)
    assert.deepEqual(withReplaced(nothing, { ...ended, kind: 'capture' }, 'pi_1'), nothing)
  })
})
