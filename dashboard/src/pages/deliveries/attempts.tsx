import type { AttemptRecord } from '../../../../server/src/console/contract/records.ts'
import { Badge } from '../../parts/badge.tsx'
import { Card } from '../../parts/card.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Icon } from '../../parts/icon.tsx'
import { When } from '../../parts/when.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { causeWords } from './cause-words.ts'
import { causeOf } from './causes.ts'
import { words } from './words.ts'

/** The newest first, and open. */
export function Attempts({ attempts }: { readonly attempts: readonly AttemptRecord[] }) {
  const say = useWords(words)
  return (
    <Card title={say.every} flush={attempts.length > 0}>
      {attempts.length === 0 && <p className="text-soft">{say.noAttempt}</p>}
      {attempts.toReversed().map((attempt, index) => (
        <OneAttempt key={attempt.number} attempt={attempt} isOpen={index === 0} />
      ))}
    </Card>
  )
}

function OneAttempt({ attempt, isOpen }: { readonly attempt: AttemptRecord; readonly isOpen: boolean }) {
  const say = useWords(words)
  const { language } = useLanguage()
  const cause = causeOf(attempt)
  return (
    <details open={isOpen} className="group border-t border-line">
      <summary className="flex flex-wrap items-center gap-x-3 gap-y-1 px-5 py-3 hover:bg-sunken focus-visible:-outline-offset-2">
        <Icon name="right" className="size-4 text-soft group-open:rotate-90" />
        <span className="font-medium">{say.attempt(attempt.number)}</span>
        <Badge tone={cause === null ? 'good' : 'bad'}>{cause === null ? say.accepted : say.failed}</Badge>
        <span className="min-w-0 flex-1 text-soft">
          {attempt.status ?? say.noStatus}
          {cause !== null && ` · ${causeWords[language][cause].title}`}
        </span>
        <span className="text-[0.8125rem] text-soft">
          <When at={attempt.at} />
          {attempt.duration_ms !== null && ` · ${say.ms(attempt.duration_ms)}`}
        </span>
        {attempt.resend && <Badge tone="note">{say.resendMark}</Badge>}
      </summary>
      <div className="space-y-4 px-5 pb-5">
        <Facts>
          <Fact name={say.at}>
            <When at={attempt.at} whole />
          </Fact>
          <Fact name={say.url}>
            <span className="font-mono text-[0.8125rem] break-all">{attempt.url}</span>
          </Fact>
          <Fact name={say.status}>{attempt.status ?? say.noStatus}</Fact>
          {attempt.duration_ms !== null && <Fact name={say.duration}>{say.ms(attempt.duration_ms)}</Fact>}
          {cause !== null && attempt.reason !== null && (
            <Fact name={say.whyFailed}>
              {causeWords[language][cause].todo}{' '}
              <q lang="en" className="text-soft">
                {attempt.reason}
              </q>
            </Fact>
          )}
        </Facts>
        <Answer response={attempt.response} number={attempt.number} />
      </div>
    </details>
  )
}

function Answer({ response, number }: { readonly response: string | null; readonly number: number }) {
  const say = useWords(words)
  if (response === null) return <p className="text-soft">{say.noAnswer}</p>
  if (response === '') return <p className="text-soft">{`${say.answer}: ${say.emptyAnswer}`}</p>
  return <CodeBlock label={`${say.answer} (${say.attempt(number)})`} text={response} wrap />
}
