// Adds an endpoint, or changes one.

import { useState } from 'react'
import type { HookEndpointRecord, HookKind } from '../../../../server/src/console/contract/records.ts'
import { ask } from '../../ask/ask.ts'
import { useMe } from '../../ask/me.tsx'
import { newKey } from '../../ask/new-key.ts'
import { useChange } from '../../ask/use-change.ts'
import { Select, TextInput } from '../../parts/controls.tsx'
import { FormDialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { useToast } from '../../parts/toast.tsx'
import { useWords } from '../../words/language.tsx'
import { states } from '../../words/states.ts'
import { shownKinds } from '../deliveries/delivery-filters.tsx'
import { ShownSecret } from './shown-secret.tsx'
import { words } from './words.ts'

interface EndpointFormProps {
  readonly kind: HookKind
  /** None: a new one. */
  readonly endpoint?: HookEndpointRecord
  readonly onClose: () => void
}

interface Given {
  readonly kind: HookKind
  readonly url: string
  readonly timeout_s: string
  readonly standard_webhooks: HookEndpointRecord['standard_webhooks']
}

const standardWebhooksNamed = (value: string): Given['standard_webhooks'] =>
  value === 'json' ? value : value === 'true'

const defaultTimeoutS = (kind: HookKind) => (kind === 'pre_sale' ? '10' : '15')

export function EndpointForm({ kind, endpoint, onClose }: EndpointFormProps) {
  const say = useWords(words)
  const toast = useToast()
  const [secret, setSecret] = useState<string | null>(null)
  const [given, setGiven] = useState<Given>({
    kind,
    url: endpoint?.url ?? '',
    timeout_s: endpoint === undefined ? defaultTimeoutS(kind) : String(endpoint.timeout_s),
    standard_webhooks: endpoint?.standard_webhooks ?? false,
  })
  const [key, setKey] = useState(newKey)
  const save = useSaving(endpoint, given, key)
  const change = (changed: Partial<Given>) => {
    setGiven({ ...given, ...changed })
    // Another question: the key stands for what was asked, so that asking it twice makes one endpoint.
    setKey(newKey())
  }
  const submit = async () => {
    const asked = await save.run()
    if (!asked.ok) return
    toast(endpoint === undefined ? say.added : say.changed)
    const made = asked.body.hook_endpoint.secret
    if (made === undefined) onClose()
    else setSecret(made)
  }
  if (secret !== null) return <ShownSecret title={say.secretTitle} secret={secret} onClose={onClose} />
  return (
    <FormDialog
      title={endpoint === undefined ? say.addTitle : say.editTitle}
      action={endpoint === undefined ? say.add : say.save}
      pending={save.isRunning}
      refused={save.refused}
      shown={['kind', 'url', 'timeout_s', 'standard_webhooks']}
      onSubmit={submit}
      onClose={onClose}
    >
      <EndpointFields
        given={given}
        onChange={change}
        isNew={endpoint === undefined}
        errors={save.refused?.errors ?? {}}
      />
    </FormDialog>
  )
}

function useSaving(endpoint: HookEndpointRecord | undefined, given: Given, key: string) {
  return useChange(() => {
    const { kind, ...fields } = given
    return endpoint === undefined
      ? ask<Saved>('rest/hook_endpoints', { method: 'POST', json: { kind, ...fields }, key })
      : ask<Saved>(`rest/hook_endpoints/${endpoint.id}`, { method: 'PATCH', json: fields, key })
  }, ['rest/hook_endpoints', 'endpoints'])
}

interface Saved {
  readonly hook_endpoint: HookEndpointRecord
}

interface EndpointFieldsProps {
  readonly given: Given
  readonly onChange: (change: Partial<Given>) => void
  readonly isNew: boolean
  readonly errors: { readonly [field: string]: string }
}

function EndpointFields({ given, onChange, isNew, errors }: EndpointFieldsProps) {
  const say = useWords(words)
  const { hook } = useWords(states)
  const { mode } = useMe()
  const choose = (kind: HookKind) => onChange({ kind, timeout_s: defaultTimeoutS(kind) })
  return (
    <>
      {isNew && (
        <Field label={say.kind} hint={say.kinds[given.kind]} error={errors.kind}>
          <Select value={given.kind} onChange={event => choose(event.currentTarget.value as HookKind)}>
            {shownKinds.map(kind => (
              <option key={kind} value={kind}>
                {hook[kind]}
              </option>
            ))}
          </Select>
        </Field>
      )}
      <Field label={say.url} hint={mode === 'live' ? say.urlHintLive : say.urlHint} error={errors.url}>
        <TextInput
          type="url"
          mono
          placeholder={`https://shop.example/hooks/${given.kind}`}
          value={given.url}
          onChange={event => onChange({ url: event.currentTarget.value })}
        />
      </Field>
      <Field label={say.timeout} hint={say.timeoutHint} error={errors.timeout_s}>
        <TextInput
          inputMode="numeric"
          value={given.timeout_s}
          onChange={event => onChange({ timeout_s: event.currentTarget.value })}
        />
      </Field>
      <Field label={say.standardWebhooks} hint={say.standardWebhooksHint} error={errors.standard_webhooks}>
        <Select
          value={String(given.standard_webhooks)}
          onChange={event => onChange({ standard_webhooks: standardWebhooksNamed(event.currentTarget.value) })}
        >
          <option value="false">{say.standardWebhooksOff}</option>
          <option value="true">{say.standardWebhooksHeaders}</option>
          <option value="json">{say.standardWebhooksJson}</option>
        </Select>
      </Field>
    </>
  )
}
