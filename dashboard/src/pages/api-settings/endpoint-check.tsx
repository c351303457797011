// Check my endpoint: a warning, then the report.

import { useState } from 'react'
import type { CheckedStep, CheckRecord } from '../../../../server/src/console/contract/endpoint-check.ts'
import { ask } from '../../ask/ask.ts'
import { useChange } from '../../ask/use-change.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Dialog, FormDialog } from '../../parts/dialog.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Notice, Refusal } from '../../parts/failure.tsx'
import { useWords } from '../../words/language.tsx'
import { states } from '../../words/states.ts'
import { words as deliveryWords } from '../deliveries/words.ts'
import { words } from './check-words.ts'
import type { EndpointDialogProps } from './endpoint-actions.tsx'

export function EndpointCheck({ endpoint, onClose }: EndpointDialogProps) {
  const say = useWords(words)
  const { hook } = useWords(states)
  const [check, setCheck] = useState<CheckRecord | null>(null)
  const checking = useChange(() =>
    ask<{ check: CheckRecord }>(`endpoints/${endpoint.id}/check`, { method: 'POST', json: {} }),
  )
  const run = async () => {
    const asked = await checking.run()
    if (asked.ok) setCheck(asked.body.check)
  }
  if (check === null) {
    return (
      <FormDialog
        title={say.title}
        action={say.action}
        pending={checking.isRunning}
        refused={checking.refused}
        onSubmit={run}
        onClose={onClose}
      >
        <p>{say.warning(hook[endpoint.kind])}</p>
        <p className="font-mono text-[0.8125rem] break-all">{endpoint.url}</p>
        <p>{say.warns}</p>
        <p role="status" className="text-soft">
          {checking.isRunning && say.running}
        </p>
      </FormDialog>
    )
  }
  return (
    <Dialog title={say.title} onClose={onClose} wide>
      <Report check={check} />
      <Refusal refused={checking.refused} />
      <div className="mt-4 flex justify-end">
        <Button pending={checking.isRunning} onClick={run}>
          {say.again}
        </Button>
      </div>
    </Dialog>
  )
}

function Report({ check }: { readonly check: CheckRecord }) {
  const say = useWords(words)
  const isCutShort = check.steps.some(({ verdict }) => verdict === 'not_sent')
  return (
    <div className="space-y-4">
      <p className="font-mono text-[0.8125rem] break-all">{check.url}</p>
      <div role="status">
        <Notice kind={check.wrong === 0 ? 'good' : 'bad'}>
          {check.wrong === 0 ? say.allRight : say.someWrong(check.wrong)} {isCutShort && say.cutShort}
        </Notice>
      </div>
      <ul className="divide-y divide-line rounded-md border border-line">
        {check.steps.map(step => (
          <li key={step.step}>
            <Step step={step} />
          </li>
        ))}
      </ul>
    </div>
  )
}

const tones: { readonly [verdict in CheckedStep['verdict']]: Tone } = {
  right: 'good',
  wrong: 'bad',
  says_nothing: 'waits',
  not_sent: 'plain',
}

function Step({ step }: { readonly step: CheckedStep }) {
  const say = useWords(words)
  const { name } = say.steps[step.step]
  return (
    <details open={step.verdict === 'wrong'}>
      <summary className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 hover:bg-sunken focus-visible:-outline-offset-2">
        <span className="mr-auto font-medium">{name}</span>
        <Badge tone={tones[step.verdict]}>{say.verdicts[step.verdict]}</Badge>
      </summary>
      <StepDetails step={step} />
    </details>
  )
}

function StepDetails({ step }: { readonly step: CheckedStep }) {
  const say = useWords(words)
  const { ms } = useWords(deliveryWords)
  const { status, reason, duration_ms, answer, notes } = step
  const cameBack = status === null ? (reason ?? say.gotNothing) : say.got(status, ms(duration_ms ?? 0))
  return (
    <div className="space-y-3 px-4 pb-4">
      {step.verdict === 'says_nothing' && <p className="max-w-prose">{say.saysNothing}</p>}
      {notes.map(note => (
        <p key={note} className="max-w-prose">
          {say.notes[note]}
        </p>
      ))}
      <Facts>
        <Fact name={say.sent}>{say.steps[step.step].sent}</Fact>
        <Fact name={say.expected}>{say.expects[step.expects]}</Fact>
        {step.verdict !== 'not_sent' && <Fact name={say.cameBack}>{cameBack}</Fact>}
      </Facts>
      {answer !== null && answer !== '' && (
        <CodeBlock label={`${say.answer} (${say.steps[step.step].name})`} text={answer} wrap />
      )}
    </div>
  )
}
