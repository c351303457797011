// What is asked before an endpoint is paused, resumed or deleted, or gets another secret.

import { useState } from 'react'
import type { HookEndpointRecord } from '../../../../server/src/console/contract/records.ts'
import { ask } from '../../ask/ask.ts'
import { useKey } from '../../ask/new-key.ts'
import { useChange } from '../../ask/use-change.ts'
import { FormDialog } from '../../parts/dialog.tsx'
import { useToast } from '../../parts/toast.tsx'
import { useWords } from '../../words/language.tsx'
import type { EndpointDialogProps } from './endpoint-actions.tsx'
import { ShownSecret } from './shown-secret.tsx'
import { words } from './words.ts'

const stale = ['rest/hook_endpoints', 'rest/hook_deliveries', 'endpoints']

export function TurnEndpoint({ endpoint, onClose }: EndpointDialogProps) {
  const say = useWords(words)
  const toast = useToast()
  const key = useKey()
  // As it was when the dialog opened: what is shown behind it changes before the dialog closes.
  const [isPaused] = useState(endpoint.status === 'paused')
  const turn = useChange(
    () =>
      ask(`rest/hook_endpoints/${endpoint.id}`, {
        method: 'PATCH',
        json: { status: isPaused ? 'enabled' : 'paused' },
        key,
      }),
    stale,
  )
  const submit = async () => {
    if (!(await turn.run()).ok) return
    toast(isPaused ? say.isResumed : say.isPaused)
    onClose()
  }
  return (
    <FormDialog
      title={isPaused ? say.resume : say.pauseTitle}
      action={isPaused ? say.resume : say.pause}
      pending={turn.isRunning}
      refused={turn.refused}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="font-mono text-[0.8125rem] break-all">{endpoint.url}</p>
      {!isPaused && <p>{endpoint.kind === 'pre_sale' ? say.pausePreSale : say.pauseSays}</p>}
    </FormDialog>
  )
}

export function DeleteEndpoint({ endpoint, onClose }: EndpointDialogProps) {
  const say = useWords(words)
  const toast = useToast()
  const key = useKey()
  const remove = useChange(() => ask(`rest/hook_endpoints/${endpoint.id}`, { method: 'DELETE', key }), stale)
  const submit = async () => {
    if (!(await remove.run()).ok) return
    toast(say.deleted)
    onClose()
  }
  return (
    <FormDialog
      title={say.deleteTitle}
      action={say.delete}
      danger
      pending={remove.isRunning}
      refused={remove.refused}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="break-words">{say.deleteSays(endpoint.url)}</p>
    </FormDialog>
  )
}

export function NewSecret({ endpoint, onClose }: EndpointDialogProps) {
  const say = useWords(words)
  const key = useKey()
  const [secret, setSecret] = useState<string | null>(null)
  const rotate = useChange(() =>
    ask<{ hook_endpoint: HookEndpointRecord }>(`rest/hook_endpoints/${endpoint.id}/rotate_secret`, {
      method: 'POST',
      json: {},
      key,
    }),
  )
  const submit = async () => {
    const asked = await rotate.run()
    if (asked.ok) setSecret(asked.body.hook_endpoint.secret ?? '')
  }
  if (secret !== null) return <ShownSecret title={say.secretTitle} secret={secret} onClose={onClose} />
  return (
    <FormDialog
      title={say.rotateTitle}
      action={say.rotateAction}
      pending={rotate.isRunning}
      refused={rotate.refused}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{say.rotateSays}</p>
    </FormDialog>
  )
}
