// What the list and the page of a letter say in the same way.

import { Link } from '@tanstack/react-router'
import type { LetterRecord } from '../../../../server/src/console/contract/records.ts'
import { Badge } from '../../parts/badge.tsx'
import { useWords } from '../../words/language.tsx'
import { words } from './words.ts'

export function Proof({ isProven }: { readonly isProven: boolean }) {
  const say = useWords(words)
  return <Badge tone={isProven ? 'good' : 'waits'}>{isProven ? say.proven : say.notProven}</Badge>
}

export function Outcome({ letter }: { readonly letter: LetterRecord }) {
  const say = useWords(words)
  if (letter.state === 'waiting') return say.waiting
  if (letter.transaction === null) return say.nothing
  return (
    <Link to="/transactions/$id" params={{ id: letter.transaction }} className="text-accent hover:underline">
      {say.paid}
    </Link>
  )
}

/** The first rule that does not hold, as a sentence; empty where all hold, or nothing is known. */
export function useWhyNotProven(): ({ verdict }: LetterRecord) => string {
  const say = useWords(words)
  return ({ verdict }) => {
    const broken = verdict?.rules.find(({ holds }) => !holds)
    return broken === undefined ? '' : (broken.why ?? say.rules[broken.rule] ?? broken.rule)
  }
}
