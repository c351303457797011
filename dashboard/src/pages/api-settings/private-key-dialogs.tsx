import { useState } from 'react'
import type { RevokedWithKey, ShownPrivateKeyRecord } from '../../../../server/src/console/contract/api-settings.ts'
import { ask } from '../../ask/ask.ts'
import { useMe } from '../../ask/me.tsx'
import { useChange } from '../../ask/use-change.ts'
import { Checkbox, TextInput } from '../../parts/controls.tsx'
import { FormDialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { useToast } from '../../parts/toast.tsx'
import { useWords } from '../../words/language.tsx'
import { words } from './words.ts'

interface ShowPrivateKeyProps {
  readonly id: string
  readonly onShown: (shown: ShownPrivateKeyRecord) => void
  readonly onClose: () => void
}

export function ShowPrivateKey({ id, onShown, onClose }: ShowPrivateKeyProps) {
  const say = useWords(words)
  const { email, second_factor } = useMe()
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const show = useChange(() =>
    ask<{ private_key: ShownPrivateKeyRecord }>(`private_keys/${id}/show`, {
      method: 'POST',
      json: { password, ...(code !== '' && { code }) },
    }),
  )
  const submit = async () => {
    const asked = await show.run()
    if (!asked.ok) return
    onShown(asked.body.private_key)
    onClose()
  }
  return (
    <FormDialog
      title={say.showTitle}
      action={say.show}
      pending={show.isRunning}
      refused={show.refused}
      shown={['password', 'code']}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{say.showSays}</p>
      {/* For managers of passwords, which want to know whose it is. */}
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <Field label={say.password} error={show.refused?.errors.password}>
        <TextInput
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={event => setPassword(event.currentTarget.value)}
        />
      </Field>
      {second_factor && (
        <Field label={say.code} error={show.refused?.errors.code}>
          <TextInput autoComplete="one-time-code" value={code} onChange={event => setCode(event.currentTarget.value)} />
        </Field>
      )}
    </FormDialog>
  )
}

interface OfKey {
  readonly id: string
  readonly onClose: () => void
}

/** Samples are signed with the key that is current. */
const stale = ['private_keys', 'snippets']

export function MakeCurrent({ id, onClose }: OfKey) {
  const say = useWords(words)
  const toast = useToast()
  const make = useChange(() => ask(`private_keys/${id}/make_current`, { method: 'POST', json: {} }), stale)
  const submit = async () => {
    if (!(await make.run()).ok) return
    toast(say.madeCurrent)
    onClose()
  }
  return (
    <FormDialog
      title={say.makeCurrentTitle}
      action={say.makeCurrent}
      pending={make.isRunning}
      refused={make.refused}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{say.makeCurrentSays}</p>
    </FormDialog>
  )
}

function deleteKey(id: string, compromised: boolean) {
  return ask<{ revoked: RevokedWithKey }>(`private_keys/${id}`, { method: 'DELETE', json: { compromised } })
}

export function DeletePrivateKey({ id, onClose }: OfKey) {
  const say = useWords(words)
  const toast = useToast()
  const [compromised, setCompromised] = useState(false)
  const remove = useChange(() => deleteKey(id, compromised), stale)
  const submit = async () => {
    const asked = await remove.run()
    if (!asked.ok) return
    const { tokens, offers } = asked.body.revoked
    toast(compromised ? say.markedCompromised(tokens, offers) : say.keyDeleted)
    onClose()
  }
  return (
    <FormDialog
      title={say.deleteKeyTitle}
      action={say.delete}
      danger
      pending={remove.isRunning}
      refused={remove.refused}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{say.deleteKeySays}</p>
      <Checkbox
        label={say.compromised}
        hint={say.compromisedHint}
        checked={compromised}
        onChange={event => setCompromised(event.currentTarget.checked)}
      />
    </FormDialog>
  )
}

export function MarkCompromised({ id, onClose }: OfKey) {
  const say = useWords(words)
  const toast = useToast()
  const mark = useChange(() => deleteKey(id, true), stale)
  const submit = async () => {
    const asked = await mark.run()
    if (!asked.ok) return
    toast(say.markedCompromised(asked.body.revoked.tokens, asked.body.revoked.offers))
    onClose()
  }
  return (
    <FormDialog
      title={say.markCompromisedTitle}
      action={say.markCompromised}
      danger
      pending={mark.isRunning}
      refused={mark.refused}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{say.markCompromisedSays}</p>
    </FormDialog>
  )
}
