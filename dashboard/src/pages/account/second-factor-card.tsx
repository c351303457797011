import { useState } from 'react'
import type { AccountRecord } from '../../../../server/src/console/contract/people.ts'
import { ask } from '../../ask/ask.ts'
import { useChange } from '../../ask/use-change.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { FormDialog } from '../../parts/dialog.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Notice } from '../../parts/failure.tsx'
import { useToast } from '../../parts/toast.tsx'
import { When } from '../../parts/when.tsx'
import { useWords } from '../../words/language.tsx'
import { Code, CurrentPassword } from './current-password.tsx'
import { TurnOn } from './turn-on.tsx'
import { words } from './words.ts'

const fewCodes = 3

export function SecondFactorCard({ factor }: { readonly factor: AccountRecord['second_factor'] }) {
  const say = useWords(words)
  // Which stays what it was when it was opened: turning it on changes what is known before the codes are read.
  const [open, setOpen] = useState<'on' | 'off' | null>(null)
  const isOn = factor !== null
  const button = <Button onClick={() => setOpen(isOn ? 'off' : 'on')}>{isOn ? say.turnOff : say.turnOn}</Button>
  return (
    <Card title={say.factor} lead={say.factorSays} actions={button}>
      <Badge tone={isOn ? 'good' : 'plain'}>{isOn ? say.isOn : say.isOff}</Badge>
      {factor !== null && (
        <Facts>
          <Fact name={say.since}>
            <When at={factor.since} />
          </Fact>
          <Fact name={say.codesLeft}>{factor.recovery_codes_left}</Fact>
        </Facts>
      )}
      {factor !== null && factor.recovery_codes_left < fewCodes && <Notice kind="waits">{say.fewCodes}</Notice>}
      {open === 'on' && <TurnOn onClose={() => setOpen(null)} />}
      {open === 'off' && <TurnOff onClose={() => setOpen(null)} />}
    </Card>
  )
}

function TurnOff({ onClose }: { readonly onClose: () => void }) {
  const say = useWords(words)
  const toast = useToast()
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const json = { password, code: code.trim() }
  const end = useChange(() => ask('account/second_factor/off', { method: 'POST', json }), ['account', 'me'])
  const submit = async () => {
    if (!(await end.run()).ok) return
    toast(say.turnedOff)
    onClose()
  }
  return (
    <FormDialog
      title={say.turnOffTitle}
      action={say.turnOff}
      danger
      pending={end.isRunning}
      refused={end.refused}
      shown={['password', 'code']}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="text-soft">{say.turnOffSays}</p>
      <CurrentPassword value={password} onType={setPassword} refused={end.refused} />
      <Code value={code} onType={setCode} refused={end.refused} hint={say.codeOrRecovery} />
    </FormDialog>
  )
}
