// Turning the second factor on: the password, then the authenticator's first code, then the recovery codes to keep.

import { useState } from 'react'
import type { SecondFactorBegun } from '../../../../server/src/console/contract/people.ts'
import { ask } from '../../ask/ask.ts'
import { useChange } from '../../ask/use-change.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Dialog, FormDialog } from '../../parts/dialog.tsx'
import { words as shared } from '../../parts/words.ts'
import { useWords } from '../../words/language.tsx'
import { Code, CurrentPassword } from './current-password.tsx'
import { words } from './words.ts'

interface StepProps {
  readonly onClose: () => void
}

export function TurnOn({ onClose }: StepProps) {
  const [begun, setBegun] = useState<SecondFactorBegun | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  if (codes !== null) return <Keep codes={codes} onClose={onClose} />
  if (begun !== null) return <Confirm key="confirm" begun={begun} onOn={setCodes} onClose={onClose} />
  return <Begin key="begin" onBegun={setBegun} onClose={onClose} />
}

function Begin({ onBegun, onClose }: StepProps & { readonly onBegun: (begun: SecondFactorBegun) => void }) {
  const say = useWords(words)
  const [password, setPassword] = useState('')
  const begin = useChange(() =>
    ask<{ second_factor: SecondFactorBegun }>('account/second_factor', { method: 'POST', json: { password } }),
  )
  const submit = async () => {
    const asked = await begin.run()
    if (asked.ok) onBegun(asked.body.second_factor)
  }
  return (
    <FormDialog
      title={say.turnOnTitle}
      action={say.goOn}
      pending={begin.isRunning}
      refused={begin.refused}
      shown={['password']}
      onSubmit={submit}
      onClose={onClose}
    >
      <CurrentPassword value={password} onType={setPassword} refused={begin.refused} />
    </FormDialog>
  )
}

interface ConfirmProps extends StepProps {
  readonly begun: SecondFactorBegun
  readonly onOn: (codes: readonly string[]) => void
}

function Confirm({ begun, onOn, onClose }: ConfirmProps) {
  const say = useWords(words)
  const [code, setCode] = useState('')
  const json = { code: code.trim() }
  const confirm = useChange(
    () => ask<{ recovery_codes: string[] }>('account/second_factor/confirmation', { method: 'POST', json }),
    ['account', 'me'],
  )
  const submit = async () => {
    const asked = await confirm.run()
    if (asked.ok) onOn(asked.body.recovery_codes)
  }
  return (
    <FormDialog
      title={say.turnOnTitle}
      action={say.confirm}
      pending={confirm.isRunning}
      refused={confirm.refused}
      shown={['code']}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{say.scan}</p>
      <img
        alt={say.picture}
        src={`data:image/svg+xml,${encodeURIComponent(begun.qr_svg)}`}
        className="mx-auto size-48 rounded-md border border-line"
      />
      <div>
        <p className="text-soft">{say.orType}</p>
        <p className="flex items-center gap-2">
          <code className="min-w-0 font-mono break-all">{begun.secret}</code>
          <CopyButton text={begun.secret} what={say.orType} iconOnly />
        </p>
      </div>
      <Code value={code} onType={setCode} refused={confirm.refused} />
    </FormDialog>
  )
}

function Keep({ codes, onClose }: StepProps & { readonly codes: readonly string[] }) {
  const say = useWords(words)
  const { onlyNow } = useWords(shared)
  return (
    <Dialog title={say.keepCodes} onClose={onClose} lost={onlyNow}>
      <div className="space-y-4">
        <p>{say.keepCodesSays}</p>
        <ul aria-label={say.codes} className="grid gap-x-6 gap-y-1 rounded-md bg-sunken p-4 font-mono sm:grid-cols-2">
          {codes.map(code => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div className="flex flex-wrap justify-end gap-2">
          <CopyButton text={codes.join('\n')} what={say.codes} />
          <Button kind="primary" onClick={onClose}>
            {say.kept}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
