import { useState } from 'react'
import type { PrivateKeyRecord, ShownPrivateKeyRecord } from '../../../../server/src/console/contract/api-settings.ts'
import { ask } from '../../ask/ask.ts'
import { useMay } from '../../ask/me.tsx'
import { useAsked } from '../../ask/use-asked.ts'
import { useChange } from '../../ask/use-change.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { CodeBlock, CodeLine } from '../../parts/code-block.tsx'
import { Notice, Refusal } from '../../parts/failure.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useToast } from '../../parts/toast.tsx'
import { When } from '../../parts/when.tsx'
import { useWords } from '../../words/language.tsx'
import { DeletePrivateKey, MakeCurrent, MarkCompromised, ShowPrivateKey } from './private-key-dialogs.tsx'
import { SettingsPage } from './settings-page.tsx'
import { words } from './words.ts'

export function PrivateKeyPage() {
  const say = useWords(words)
  const isOwner = useMay('owner')
  const shown = useAsked<PrivateKeyRecord[]>('private_keys')
  return (
    <SettingsPage lead={say.privateLead}>
      <div className="space-y-6">
        {!isOwner && <Notice kind="note">{say.ownersOnly}</Notice>}
        <Loaded shown={shown}>
          {keys => (
            <>
              <Card title={say.privateKey} flush>
                {inOrder(keys).map(key => (
                  <KeyRow key={key.id} privateKey={key} isOwner={isOwner} />
                ))}
              </Card>
              {isOwner && <Replacing hasNext={keys.some(({ state }) => state === 'next')} />}
            </>
          )}
        </Loaded>
      </div>
    </SettingsPage>
  )
}

const order = ['current', 'next', 'former', 'deleted'] as const

function inOrder(keys: readonly PrivateKeyRecord[]): readonly PrivateKeyRecord[] {
  return keys.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
}

const tones: { readonly [state in PrivateKeyRecord['state']]: Tone } = {
  current: 'good',
  next: 'note',
  former: 'plain',
  deleted: 'plain',
}

function KeyRow({ privateKey, isOwner }: { readonly privateKey: PrivateKeyRecord; readonly isOwner: boolean }) {
  const say = useWords(words)
  const { state } = privateKey
  const [opened, setOpened] = useState<ShownPrivateKeyRecord | null>(null)
  return (
    <div className="space-y-3 border-t border-line px-5 py-4">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-3">
        <div className="mr-auto min-w-0 space-y-1">
          <p className="flex flex-wrap items-center gap-2">
            <Badge tone={tones[state]}>{say.keyStates[state]}</Badge>
            <span>{say.keyStateSays[state]}</span>
            {privateKey.compromised && <Badge tone="bad">{say.wasCompromised}</Badge>}
          </p>
          <p className="flex flex-wrap items-center gap-x-2 text-soft">
            {say.publicKey} <CodeLine what={say.publicKey} text={privateKey.public_key} />
          </p>
          <p className="text-soft">
            {say.created} <When at={privateKey.created_at} />
          </p>
        </div>
        {isOwner && state !== 'deleted' && (
          <KeyActions privateKey={privateKey} isOpen={opened !== null} onOpen={setOpened} />
        )}
        {isOwner && state === 'deleted' && !privateKey.compromised && <MarkCompromisedAction id={privateKey.id} />}
      </div>
      {opened !== null && (
        <CodeBlock label={`${say.privateKey}: ${say.keyStates[state]}`} text={opened.private_key} wrap />
      )}
    </div>
  )
}

interface KeyActionsProps {
  readonly privateKey: PrivateKeyRecord
  readonly isOpen: boolean
  readonly onOpen: (opened: ShownPrivateKeyRecord | null) => void
}

function KeyActions({ privateKey, isOpen, onOpen }: KeyActionsProps) {
  const say = useWords(words)
  const [asking, setAsking] = useState<'show' | 'current' | 'delete' | null>(null)
  const close = () => setAsking(null)
  const isCurrent = privateKey.state === 'current'
  return (
    <div className="flex flex-wrap gap-2">
      <Button small onClick={() => (isOpen ? onOpen(null) : setAsking('show'))}>
        {isOpen ? say.hide : say.show}
      </Button>
      {!isCurrent && (
        <>
          <Button small onClick={() => setAsking('current')}>
            {say.makeCurrent}
          </Button>
          <Button small onClick={() => setAsking('delete')}>
            {say.delete}
          </Button>
        </>
      )}
      {asking === 'show' && <ShowPrivateKey id={privateKey.id} onShown={onOpen} onClose={close} />}
      {asking === 'current' && <MakeCurrent id={privateKey.id} onClose={close} />}
      {asking === 'delete' && <DeletePrivateKey id={privateKey.id} onClose={close} />}
    </div>
  )
}

/** A deleted key still opens tokens, and counts as one that does. */
function MarkCompromisedAction({ id }: { readonly id: string }) {
  const say = useWords(words)
  const [isAsking, setIsAsking] = useState(false)
  return (
    <>
      <Button small onClick={() => setIsAsking(true)}>
        {say.markCompromised}
      </Button>
      {isAsking && <MarkCompromised id={id} onClose={() => setIsAsking(false)} />}
    </>
  )
}

function Replacing({ hasNext }: { readonly hasNext: boolean }) {
  const say = useWords(words)
  const toast = useToast()
  const create = useChange(() => ask('private_keys', { method: 'POST', json: {} }), ['private_keys'])
  const run = async () => {
    if ((await create.run()).ok) toast(say.nextCreated)
  }
  return (
    <Card title={say.replace} lead={say.replaceLead}>
      <ol className="mb-4 list-decimal space-y-1 pl-5">
        <li>{say.step1}</li>
        <li>{say.step2}</li>
        <li>{say.step3}</li>
      </ol>
      <Refusal refused={create.refused} />
      <Button disabled={hasNext} pending={create.isRunning} onClick={run}>
        {say.createNext}
      </Button>
    </Card>
  )
}
