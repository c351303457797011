import { useState } from 'react'
import type { ApiKeyRecord, NewApiKeyRecord } from '../../../../server/src/console/contract/api-settings.ts'
import { ask } from '../../ask/ask.ts'
import { newKey } from '../../ask/new-key.ts'
import { useChange } from '../../ask/use-change.ts'
import { Button } from '../../parts/button.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { TextInput } from '../../parts/controls.tsx'
import { Dialog, FormDialog } from '../../parts/dialog.tsx'
import { Notice } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { useToast } from '../../parts/toast.tsx'
import { words as shared } from '../../parts/words.ts'
import { useWords } from '../../words/language.tsx'
import { words } from './words.ts'

export function CreateKey({ onClose }: { readonly onClose: () => void }) {
  const say = useWords(words)
  const [name, setName] = useState('')
  const [key, setKey] = useState(newKey)
  const [made, setMade] = useState<NewApiKeyRecord | null>(null)
  const create = useChange(
    () => ask<{ api_key: NewApiKeyRecord }>('api_keys', { method: 'POST', json: { name: name.trim() }, key }),
    ['api_keys'],
  )
  const submit = async () => {
    const asked = await create.run()
    if (asked.ok) setMade(asked.body.api_key)
  }
  if (made !== null) return <CreatedKey made={made} onClose={onClose} />
  return (
    <FormDialog
      title={say.createKey}
      action={say.createKey}
      pending={create.isRunning}
      refused={create.refused}
      shown={['name']}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={say.keyName} hint={say.keyNameHint} error={create.refused?.errors.name}>
        <TextInput
          value={name}
          maxLength={100}
          onChange={event => {
            setName(event.currentTarget.value)
            setKey(newKey())
          }}
        />
      </Field>
    </FormDialog>
  )
}

function CreatedKey({ made, onClose }: { readonly made: NewApiKeyRecord; readonly onClose: () => void }) {
  const say = useWords(words)
  const { onlyNow } = useWords(shared)
  return (
    <Dialog title={say.keyCreated} onClose={onClose} lost={onlyNow}>
      <div className="space-y-4">
        <Notice kind="waits">{say.keyOnce}</Notice>
        <CodeBlock label={say.key} text={made.id} wrap />
        <CodeBlock label={say.secret} text={made.secret} wrap />
        <div className="flex justify-end">
          <Button kind="primary" onClick={onClose}>
            {say.secretDone}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

export function RevokeKey({ apiKey, onClose }: { readonly apiKey: ApiKeyRecord; readonly onClose: () => void }) {
  const say = useWords(words)
  const toast = useToast()
  const revoke = useChange(() => ask(`api_keys/${apiKey.id}`, { method: 'DELETE' }), ['api_keys'])
  const submit = async () => {
    if (!(await revoke.run()).ok) return
    toast(say.keyRevoked)
    onClose()
  }
  return (
    <FormDialog
      title={say.revokeTitle}
      action={say.revoke}
      danger
      pending={revoke.isRunning}
      refused={revoke.refused}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="break-words">{say.revokeSays(apiKey.name ?? apiKey.id)}</p>
    </FormDialog>
  )
}
