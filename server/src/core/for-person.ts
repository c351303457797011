// What a gateway said of an operation that a person has to look into. Each sentence is listed until just that is answered: by a
// dismissal, or by how the operation ends, where the sentence is about that. None takes the place of another.

import type { OperationKind } from './gateway.ts'
import { keptLine } from './kept-text.ts'

/** The oldest sentence, and those that came after it. */
export interface Listed {
  readonly forPerson: string | null
  readonly moreForPerson: readonly string[]
}

/** So many are kept as they are: what a gateway can say of one operation has no end. Of the rest, how much it is. */
export const sentencesMax = 20
const sentenceCharsMax = 1_500

export function sentencesOf({ forPerson, moreForPerson }: Listed): readonly string[] {
  return [...(forPerson === null ? [] : [forPerson]), ...moreForPerson]
}

export function listedAs([forPerson, ...moreForPerson]: readonly string[]): Listed {
  return { forPerson: forPerson ?? null, moreForPerson }
}

/** As it is kept and compared. */
export function keptSentence(sentence: string): string {
  return keptLine(sentence, sentenceCharsMax)
}

/** With one sentence more, which must be as it is kept. Null: it is listed already. */
export function withSentence(listed: Listed, kind: OperationKind, sentence: string): Listed | null {
  const sentences = sentencesOf(listed)
  if (sentences.includes(sentence)) return null
  const place = sentences.findIndex(isOfRest)
  const kept = place < 0 ? sentences.length : sentences.length - 1
  if (kept < sentencesMax) return listedAs([...sentences, sentence])
  const rest = ofRest(kind, countIn(sentences[place]) + 1)
  return listedAs(place < 0 ? [...sentences, rest] : sentences.with(place, rest))
}

export function withoutSentence(listed: Listed, sentence: string): Listed {
  return listedAs(sentencesOf(listed).filter(each => each !== sentence))
}

/** What stays to be looked into once the operation itself has ended: money that was moved beside it. */
export function stillToAnswer(listed: Listed): Listed {
  return listedAs(sentencesOf(listed).filter(each => isOfSecond(each) || isOfRest(each)))
}

/** Of an operation that has ended under `gatewayRef`, where the gateway had given another reference for it before. */
export function withReplaced(
  listed: Listed,
  { kind, gatewayRef }: { readonly kind: OperationKind; readonly gatewayRef: string | null },
  replacedRef: string | null,
): Listed {
  if (kind === 'capture' || kind === 'void') return listed
  if (gatewayRef === null || replacedRef === null || gatewayRef === replacedRef) return listed
  const isOfThis = (sentence: string) => isOfSecond(sentence) && sentence.includes(`: ${gatewayRef}, beside `)
  const others = listedAs(sentencesOf(listed).filter(each => !isOfThis(each)))
  return withSentence(others, kind, keptSentence(ofSecond(kind, replacedRef, gatewayRef))) ?? others
}

/** The gateway has another record under the id of an operation than the one that is known. */
export function ofSecond(kind: OperationKind, gatewayRef: string, besideRef: string | null): string {
  const what = kind === 'charge' ? 'payment' : kind
  return `The gateway has a second ${what} under the id of this ${kind}: ${gatewayRef}, beside ${besideRef}. Look there whether money was moved twice and put it right, then dismiss this.`
}

function isOfSecond(sentence: string): boolean {
  return sentence.startsWith('The gateway has a second ')
}

function ofRest(kind: OperationKind, count: number): string {
  return `The gateway reported more about this ${kind} than is listed here. Reports that are only in the log: ${count}. Look there at everything under the id of this ${kind}, then dismiss this.`
}

const restPattern =
  /^The gateway reported more about this \w+ than is listed here\. Reports that are only in the log: (\d+)\./

function isOfRest(sentence: string): boolean {
  return restPattern.test(sentence)
}

function countIn(sentence: string | undefined): number {
  return Number(sentence === undefined ? 0 : restPattern.exec(sentence)?.[1])
}
