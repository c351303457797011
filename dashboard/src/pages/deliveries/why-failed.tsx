import type { WholeDeliveryRecord } from '../../../../server/src/console/contract/records.ts'
import { Icon } from '../../parts/icon.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { causeWords } from './cause-words.ts'
import { causeOf } from './causes.ts'
import { words } from './words.ts'

/** Of the newest attempt, where the delivery has not got through: what happened, and what to do. */
export function WhyFailed({ delivery }: { readonly delivery: WholeDeliveryRecord }) {
  const say = useWords(words)
  const { language } = useLanguage()
  const last = delivery.attempts.at(-1)
  const cause = last === undefined || delivery.state === 'delivered' ? null : causeOf(last)
  if (last === undefined || cause === null) return null
  const { title, todo } = causeWords[language][cause]
  return (
    <section aria-label={say.whyFailed} className="rounded-lg border border-bad/40 bg-bad-wash px-5 py-4">
      <h2 className="flex items-center gap-2 text-[0.9375rem] font-semibold text-bad">
        <Icon name="warn" />
        {title}
      </h2>
      <p className="mt-1 max-w-prose">{todo}</p>
      {last.reason !== null && (
        <p className="mt-2">
          {say.serviceSays} <q lang="en">{last.reason}</q>
        </p>
      )}
    </section>
  )
}
