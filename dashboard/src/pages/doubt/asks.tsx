// What was asked and heard, and what people decided.

import type { WholeDoubtRecord } from '../../../../server/src/console/contract/doubt.ts'
import { Card } from '../../parts/card.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { ServiceSays } from '../../parts/service-says.tsx'
import { When, WhenIsStill } from '../../parts/when.tsx'
import { useWords } from '../../words/language.tsx'
import { words } from './words.ts'

/** The newest first: an old doubt has dozens. */
export function Asks({ doubt }: { readonly doubt: WholeDoubtRecord }) {
  const say = useWords(words)
  if (doubt.asked.length === 0) {
    return (
      <Card title={say.asked}>
        <p className="text-soft">{say.notAskedYet}</p>
      </Card>
    )
  }
  return (
    <Card title={say.asked} flush>
      <ol reversed className="divide-y divide-line border-t border-line">
        {[...doubt.asked].reverse().map(({ number, at, step, heard }) => (
          <li key={number} className="px-5 py-2.5">
            <details>
              <summary>
                <span className="font-medium">{say.steps[step]}</span>{' '}
                <span className="text-soft">
                  · {say.ask(number)} ·{' '}
                  <WhenIsStill value>
                    <When at={at} />
                  </WhenIsStill>
                </span>
              </summary>
              <div className="mt-2">
                <CodeBlock label={say.ask(number)} text={heard.join('\n')} wrap />
              </div>
            </details>
          </li>
        ))}
      </ol>
    </Card>
  )
}

export function Decisions({ doubt }: { readonly doubt: WholeDoubtRecord }) {
  const say = useWords(words)
  if (doubt.resolutions.length === 0) return null
  return (
    <Card title={say.decided}>
      <ul className="space-y-2">
        {doubt.resolutions.map(({ at, by, verdict, note, answers }) => (
          <li key={at}>
            <p>
              <strong className="font-semibold">{say.verdicts[verdict]}</strong>{' '}
              <span className="text-soft">
                · {by} · <When at={at} />
              </span>
            </p>
            <p className="break-words">{note}</p>
            {answers !== null && (
              <p className="text-soft">
                {say.inAnswerTo}: <ServiceSays sentence={answers} />
              </p>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}
