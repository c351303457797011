// What was refused, as a person reads it.

import { type ReactNode, useEffect, useRef } from 'react'
import type { Refused } from '../ask/ask.ts'
import { useWords } from '../words/language.tsx'
import { Button, ButtonLink } from './button.tsx'
import { showWhatIsWrong } from './first-wrong.ts'
import { ServiceSays } from './service-says.tsx'
import { words } from './words.ts'

/** The sentences that no field of the form shows. `shown`: the fields that show their own. */
export function useRefusal(refused: Refused | null, shown: readonly string[] = []): ReactNode {
  const say = useWords(words)
  if (refused === null) return null
  if (refused.status === 401) return say.signedOut
  const sentences = Object.entries(refused.errors).filter(([field]) => !shown.includes(field))
  if (sentences.length > 0) {
    return sentences.map(([field, sentence]) => (
      <span key={field} className="block">
        <ServiceSays field={field} sentence={sentence} />
      </span>
    ))
  }
  if (Object.keys(refused.errors).length > 0) return null
  if (refused.status === 0) return say.noAnswer
  if (refused.status === 403) return say.notAllowed
  if (refused.status === 404) return say.notFound
  if (refused.status === 429) return say.tooMany(refused.retryAfterS)
  return say.ourFault
}

interface RefusalProps {
  readonly refused: Refused | null
  readonly shown?: readonly string[]
  /** What it means, in words of the page's own, before what the service says. */
  readonly meaning?: string | undefined
}

/** Above the buttons of a form: `<Refusal refused={change.refused} shown={['email']} />` */
export function Refusal({ refused, shown, meaning }: RefusalProps) {
  const sentence = useRefusal(refused, shown)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (refused !== null) showWhatIsWrong(box.current)
  }, [refused])
  return (
    <div ref={box} role="alert">
      {sentence !== null && (
        <Notice kind="bad">
          {meaning !== undefined && <span className="block">{meaning}</span>}
          {sentence}
        </Notice>
      )}
    </div>
  )
}

/** In place of what could not be loaded. */
export function Failure({ refused, again }: { readonly refused: Refused; readonly again?: () => void }) {
  const say = useWords(words)
  const sentence = useRefusal(refused)
  const isGone = refused.status === 404
  return (
    <div role="alert" className="rounded-lg border border-line bg-surface px-6 py-10 text-center shadow-card">
      <p className="font-semibold">{isGone ? say.gone : say.failed}</p>
      <p className="mx-auto mt-1 mb-4 max-w-prose text-soft">{isGone ? say.notFound : sentence}</p>
      {isGone && <ButtonLink to="..">{say.toList}</ButtonLink>}
      {!isGone && again !== undefined && <Button onClick={again}>{say.tryAgain}</Button>}
    </div>
  )
}

const kinds = {
  bad: 'border-bad/40 bg-bad-wash text-bad',
  waits: 'border-waits/40 bg-waits-wash text-waits',
  good: 'border-good/40 bg-good-wash text-good',
  note: 'border-note/40 bg-note-wash text-note',
} as const

/** A sentence or two in a box of their own. */
export function Notice({ kind, children }: { readonly kind: keyof typeof kinds; readonly children: ReactNode }) {
  return <div className={`rounded-md border px-3 py-2 ${kinds[kind]}`}>{children}</div>
}
