// What the list and the page of a letter say in the same way.

import { Link } from '@tanstack/react-router'
import type { LetterRecord } from '../../../../server/src/console/contract/records.ts'
import { Badge } from '../../parts/badge.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { refusalIn } from '../../words/refusals.ts'
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
  const { language } = useLanguage()
  return ({ verdict }) => {
    const broken = verdict?.rules.find(({ holds }) => !holds)
    if (broken === undefined) return ''
    if (broken.why !== null) return refusalIn(language, 'general', broken.why).text
    return say.rules[broken.rule] ?? broken.rule
  }
}
