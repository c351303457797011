import { useState } from 'react'
import type { GatewayRecord } from '../../../../server/src/console/contract/records.ts'
import { ask } from '../../ask/ask.ts'
import { useMe } from '../../ask/me.tsx'
import { useKey } from '../../ask/new-key.ts'
import { useChange } from '../../ask/use-change.ts'
import { Checkbox, Select } from '../../parts/controls.tsx'
import { FormDialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { useToast } from '../../parts/toast.tsx'
import { useWords } from '../../words/language.tsx'
import { CredentialFields, wrongCredential } from './credential-fields.tsx'
import { credentialsFrom, type GatewayType, typesIn } from './types.ts'
import { words } from './words.ts'

interface ConnectDialogProps {
  /** There is none yet: the first one is the default. */
  readonly isFirst: boolean
  readonly onClose: () => void
}

export function ConnectDialog({ isFirst, onClose }: ConnectDialogProps) {
  const say = useWords(words)
  const toast = useToast()
  const { mode } = useMe()
  const key = useKey()
  const [type, setType] = useState<GatewayType>('stripe')
  const [typed, setTyped] = useState<{ readonly [name: string]: string }>({})
  const [isDefault, setDefault] = useState(isFirst)
  const credentials = credentialsFrom(type, mode, typed)
  const change = useChange(
    () =>
      ask<{ readonly gateway: GatewayRecord }>('rest/gateways', {
        method: 'POST',
        json: { type, credentials, ...(isDefault && { default: true }) },
        key,
      }),
    ['rest/gateways'],
  )
  const submit = async () => {
    const done = await change.run()
    if (!done.ok) return
    toast(say.connected)
    onClose()
  }
  return (
    <FormDialog
      title={say.connectTitle}
      action={say.connectIt}
      pending={change.isRunning}
      refused={change.refused}
      shown={wrongCredential(change.refused, type, mode) === null ? [] : ['credentials']}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={say.kind} hint={say.typeSays[type]}>
        <Select value={type} onChange={event => setType(event.currentTarget.value as GatewayType)}>
          {typesIn(mode).map(each => (
            <option key={each} value={each}>
              {say.types[each]}
            </option>
          ))}
        </Select>
      </Field>
      <CredentialFields
        type={type}
        typed={typed}
        refused={change.refused}
        onType={(name, text) => setTyped(was => ({ ...was, [name]: text }))}
      />
      <Checkbox
        label={say.makeDefault}
        hint={say.makeDefaultHint}
        checked={isDefault}
        onChange={event => setDefault(event.currentTarget.checked)}
      />
    </FormDialog>
  )
}
