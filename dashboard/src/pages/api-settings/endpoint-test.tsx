// Send a test: it goes out when the dialog opens, and its result is shown as soon as it is there.

import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { WholeDeliveryRecord } from '../../../../server/src/console/contract/records.ts'
import { ask } from '../../ask/ask.ts'
import { useKey } from '../../ask/new-key.ts'
import { useChange } from '../../ask/use-change.ts'
import { buttonClasses } from '../../parts/button.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Notice, Refusal } from '../../parts/failure.tsx'
import { Spinner } from '../../parts/spinner.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { causeWords } from '../deliveries/cause-words.ts'
import { causeOf } from '../deliveries/causes.ts'
import type { EndpointDialogProps } from './endpoint-actions.tsx'
import { words } from './words.ts'

export function EndpointTest({ endpoint, onClose }: EndpointDialogProps) {
  const say = useWords(words)
  const key = useKey()
  const [delivery, setDelivery] = useState<WholeDeliveryRecord | null>(null)
  const test = useChange(
    () =>
      ask<{ hook_delivery: WholeDeliveryRecord }>(`rest/hook_endpoints/${endpoint.id}/test`, {
        method: 'POST',
        json: {},
        key,
      }),
    ['endpoints', 'rest/hook_deliveries'],
  )
  const isSent = useRef(false)
  useEffect(() => {
    if (isSent.current) return
    isSent.current = true
    void test.run().then(asked => asked.ok && setDelivery(asked.body.hook_delivery))
  })
  return (
    <Dialog title={say.testSent} onClose={onClose}>
      <div className="space-y-4">
        <p className="font-mono text-[0.8125rem] break-all">{endpoint.url}</p>
        <div role="status">
          {test.isRunning && (
            <span className="flex items-center gap-2 text-soft">
              <Spinner /> {say.sending}
            </span>
          )}
          {delivery !== null && <TestResult delivery={delivery} />}
        </div>
        <Refusal refused={test.refused} />
        {delivery !== null && (
          <div className="flex justify-end">
            <Link to="/deliveries/$id" params={{ id: delivery.id }} className={buttonClasses('primary')}>
              {say.seeDelivery}
            </Link>
          </div>
        )}
      </div>
    </Dialog>
  )
}

function TestResult({ delivery }: { readonly delivery: WholeDeliveryRecord }) {
  const say = useWords(words)
  const { language } = useLanguage()
  const attempt = delivery.attempts.at(-1)
  if (attempt === undefined) return <Notice kind="waits">{say.testPending}</Notice>
  const cause = causeOf(attempt)
  if (cause === null)
    return <Notice kind="good">{say.testAccepted(attempt.status ?? 0, attempt.duration_ms ?? 0)}</Notice>
  const { title, todo } = causeWords[language][cause]
  return (
    <div className="space-y-3">
      <Notice kind="bad">
        <p className="font-semibold">
          {say.testFailed} {title}
        </p>
        <p>{todo}</p>
        {attempt.reason !== null && <q>{attempt.reason}</q>}
      </Notice>
      {attempt.response !== null && attempt.response !== '' && <CodeBlock label="HTTP" text={attempt.response} wrap />}
    </div>
  )
}
