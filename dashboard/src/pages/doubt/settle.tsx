// An owner decides. Before anything is sent, each choice says what it will do.

import { type FormEvent, useState } from 'react'
import type { Verdict, WholeDoubtRecord } from '../../../../server/src/console/contract/doubt.ts'
import { ask } from '../../ask/ask.ts'
import { useChange } from '../../ask/use-change.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { Choices, Radio, TextArea, TextInput } from '../../parts/controls.tsx'
import { FormDialog } from '../../parts/dialog.tsx'
import { Notice } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { useShownMoney } from '../../parts/money.tsx'
import { ServiceSays } from '../../parts/service-says.tsx'
import { useToast } from '../../parts/toast.tsx'
import { useWords } from '../../words/language.tsx'
import { sentencesOf } from './sentences.tsx'
import { words } from './words.ts'

const stale = ['doubt', 'home', 'transactions', 'rest/transactions']

type Say = (typeof words)['en']

/** What is said of a success that is written down already can only be dismissed. */
function effectSaid(say: Say, { outcome, kind }: WholeDoubtRecord, verdict: Verdict): (amount: string) => string {
  return outcome === 'succeeded' ? () => say.dismissesWord : say.effects[kind][verdict]
}

export function Settle({ doubt }: { readonly doubt: WholeDoubtRecord }) {
  const say = useWords(words)
  const [verdict, setVerdict] = useState<Verdict | null>(null)
  const [isAsking, setAsking] = useState(false)
  const money = useShownMoney()
  const amount = money(doubt.amount, doubt.currency)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (verdict !== null) setAsking(true)
  }
  return (
    <Card title={say.settle} lead={say.settleLead}>
      <form onSubmit={submit} className="space-y-4">
        <Choices legend={say.chooseVerdict}>
          {doubt.verdicts.map(each => (
            <Radio
              key={each}
              name="verdict"
              value={each}
              checked={verdict === each}
              onChange={() => setVerdict(each)}
              label={say.verdicts[each]}
              hint={effectSaid(say, doubt, each)(amount)}
            />
          ))}
        </Choices>
        <Button type="submit" kind="primary" disabled={verdict === null}>
          {say.settle}
        </Button>
      </form>
      {isAsking && verdict !== null && (
        <SettleDialog doubt={doubt} verdict={verdict} onClose={() => setAsking(false)} />
      )}
    </Card>
  )
}

interface SettleDialogProps {
  readonly doubt: WholeDoubtRecord
  readonly verdict: Verdict
  readonly onClose: () => void
}

function SettleDialog({ doubt, verdict, onClose }: SettleDialogProps) {
  const say = useWords(words)
  const toast = useToast()
  const amount = useShownMoney()(doubt.amount, doubt.currency)
  const [note, setNote] = useState('')
  const [gatewayRef, setGatewayRef] = useState('')
  // As it was read when the dialog was opened: the page behind it is loaded anew all the time.
  const [sentences] = useState(sentencesOf(doubt))
  const [answers, setAnswers] = useState(sentences.length === 1 ? sentences[0] : undefined)
  const asksForRef = verdict === 'succeeded' && doubt.needs_gateway_ref
  const settle = useChange(
    () =>
      ask<{ doubt: WholeDoubtRecord }>(`doubt/${doubt.operation}/resolve`, {
        method: 'POST',
        json: {
          ...{ verdict, note },
          ...(asksForRef && { gateway_ref: gatewayRef }),
          ...(verdict === 'dismissed' && answers !== undefined && { answers }),
        },
      }),
    stale,
  )
  const submit = async () => {
    const asked = await settle.run()
    if (!asked.ok) return
    toast(say.recorded)
    onClose()
  }
  return (
    <FormDialog
      title={`${say.of(say.kinds[doubt.kind], amount)}: ${say.verdicts[verdict]}`}
      action={say.verdicts[verdict]}
      danger={verdict !== 'succeeded'}
      pending={settle.isRunning}
      refused={settle.refused}
      shown={['note', 'gateway_ref']}
      onSubmit={submit}
      onClose={onClose}
    >
      {verdict === 'dismissed' && sentences.length === 1 && answers !== undefined && (
        <Notice kind="waits">
          <ServiceSays sentence={answers} />
        </Notice>
      )}
      {verdict === 'dismissed' && sentences.length > 1 && (
        <Choices legend={say.chooseSentence}>
          {sentences.map(each => (
            <Radio
              key={each}
              name="answers"
              value={each}
              checked={answers === each}
              onChange={() => setAnswers(each)}
              label={<ServiceSays sentence={each} />}
              required
            />
          ))}
        </Choices>
      )}
      <p>{effectSaid(say, doubt, verdict)(amount)}</p>
      {asksForRef && (
        <Field label={say.gatewayRef} hint={say.gatewayRefHint} error={settle.refused?.errors.gateway_ref}>
          <TextInput mono value={gatewayRef} onChange={event => setGatewayRef(event.currentTarget.value)} required />
        </Field>
      )}
      <Field label={say.note} hint={say.noteHint} error={settle.refused?.errors.note}>
        <TextArea rows={3} value={note} onChange={event => setNote(event.currentTarget.value)} required />
      </Field>
    </FormDialog>
  )
}
