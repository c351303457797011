import { useEffect, useState } from 'react'
import type { WholeDeliveryRecord } from '../../../../server/src/console/contract/records.ts'
import { useMe } from '../../ask/me.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { shownSpan } from '../../words/shown-time.ts'
import { words } from './words.ts'

/** What becomes of it now; until the next attempt, by the second. */
export function NextStep({ delivery }: { readonly delivery: WholeDeliveryRecord }) {
  const say = useWords(words)
  const { state, kind, next_attempt_at } = delivery
  if (next_attempt_at !== null) return <Countdown to={next_attempt_at} isResend={state !== 'pending'} />
  const sentence = {
    pending: say.waitsForEndpoint,
    delivered: say.deliveredSays,
    dropped: kind === 'pre_sale' ? say.droppedPreSale : say.droppedSays,
    canceled: say.canceledSays,
  }[state]
  return <p className="mb-3 font-medium">{sentence}</p>
}

function Countdown({ to, isResend }: { readonly to: string; readonly isResend: boolean }) {
  const say = useWords(words)
  const { locale } = useLanguage()
  const { clock_offset_s } = useMe()
  const leftS = () => (new Date(to).getTime() - Date.now()) / 1_000 - clock_offset_s
  const [left, setLeft] = useState(leftS)
  useEffect(() => {
    const timer = setInterval(() => setLeft(leftS()), 1_000)
    return () => clearInterval(timer)
  })
  const sentence = isResend ? say.dueAgain : left < 1 ? say.dueNow : say.dueIn(shownSpan(left, locale))
  return (
    <p role="timer" className="mb-3 font-medium tabular-nums">
      {sentence}
    </p>
  )
}
