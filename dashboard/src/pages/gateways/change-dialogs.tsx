// What is done to one gateway: other credentials, and turning it off.

import { useState } from 'react'
import type { GatewayRecord } from '../../../../server/src/console/contract/records.ts'
import { ask } from '../../ask/ask.ts'
import { useMe } from '../../ask/me.tsx'
import { useChange } from '../../ask/use-change.ts'
import { FormDialog } from '../../parts/dialog.tsx'
import { Notice } from '../../parts/failure.tsx'
import { useToast } from '../../parts/toast.tsx'
import { useWords } from '../../words/language.tsx'
import { CredentialFields, wrongCredential } from './credential-fields.tsx'
import { asType, credentialsFrom } from './types.ts'
import { words } from './words.ts'

export interface GatewayChange {
  readonly status?: 'active' | 'inactive'
  readonly default?: true
  readonly fallback?: number
  readonly credentials?: object
}

/** Says `done` once it is. */
export function useGatewayChange({ id }: GatewayRecord) {
  const toast = useToast()
  const change = useChange(
    (json: GatewayChange) => ask(`rest/gateways/${id}`, { method: 'PATCH', json }),
    ['rest/gateways'],
  )
  const run = async (json: GatewayChange, done: string): Promise<boolean> => {
    const answer = await change.run(json)
    if (answer.ok) toast(done)
    return answer.ok
  }
  return { ...change, run }
}

interface DialogProps {
  readonly gateway: GatewayRecord
  readonly onClose: () => void
}

export function CredentialsDialog({ gateway, onClose }: DialogProps) {
  const say = useWords(words)
  const { mode } = useMe()
  const type = asType(gateway.type)
  const [typed, setTyped] = useState<{ readonly [name: string]: string }>({})
  const change = useGatewayChange(gateway)
  if (type === null) return null
  const submit = async () => {
    if (await change.run({ credentials: credentialsFrom(type, mode, typed) }, say.saved)) onClose()
  }
  return (
    <FormDialog
      title={say.changeTitle(say.types[type])}
      action={say.save}
      pending={change.isRunning}
      disabled={Object.values(typed).every(text => text.trim() === '')}
      refused={change.refused}
      shown={wrongCredential(change.refused, type, mode) === null ? [] : ['credentials']}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="text-soft">{say.changeSays}</p>
      <CredentialFields
        type={type}
        typed={typed}
        refused={change.refused}
        isChange
        onType={(name, text) => setTyped(was => ({ ...was, [name]: text }))}
      />
    </FormDialog>
  )
}

export function DeactivateDialog({ gateway, onClose, isLast }: DialogProps & { readonly isLast: boolean }) {
  const say = useWords(words)
  const change = useGatewayChange(gateway)
  const type = asType(gateway.type)
  const submit = async () => {
    if (await change.run({ status: 'inactive' }, say.deactivated)) onClose()
  }
  return (
    <FormDialog
      title={say.deactivateTitle(type === null ? gateway.type : say.types[type])}
      action={say.deactivate}
      danger
      pending={change.isRunning}
      refused={change.refused}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{say.deactivateSays}</p>
      {(isLast || gateway.default) && (
        <Notice kind="waits">{isLast ? say.deactivateLast : say.deactivateDefault}</Notice>
      )}
    </FormDialog>
  )
}
