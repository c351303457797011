// One gateway: how it stands, and what can be done to it.

import { useState } from 'react'
import type { GatewayRecord } from '../../../../server/src/console/contract/records.ts'
import type { GatewayTest } from '../../../../server/src/console/contract/selling.ts'
import { ask } from '../../ask/ask.ts'
import { useMay } from '../../ask/me.tsx'
import { useChange } from '../../ask/use-change.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { CodeLine } from '../../parts/code-block.tsx'
import { Select } from '../../parts/controls.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Notice, Refusal } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { When } from '../../parts/when.tsx'
import { useWords } from '../../words/language.tsx'
import { CredentialsDialog, DeactivateDialog, useGatewayChange } from './change-dialogs.tsx'
import { asType } from './types.ts'
import { words } from './words.ts'

interface GatewayCardProps {
  readonly gateway: GatewayRecord
  /** The only one that is active. */
  readonly isLast: boolean
  readonly places: number
}

export function GatewayCard({ gateway, isLast, places }: GatewayCardProps) {
  const say = useWords(words)
  const type = asType(gateway.type)
  const { status } = gateway
  const badges = (
    <span className="ml-2 inline-flex flex-wrap gap-1.5">
      <Badge tone={status === 'active' ? 'good' : 'plain'}>{say[status]}</Badge>
      {gateway.default && <Badge tone="note">{say.defaultOne}</Badge>}
    </span>
  )
  return (
    <Card
      title={
        <>
          {type === null ? gateway.type : say.types[type]}
          {badges}
        </>
      }
    >
      <Facts>
        <Fact name={say.id}>
          <CodeLine what={say.id} text={gateway.id} />
        </Fact>
        <Fact name={say.since}>
          <When at={gateway.created_at} />
        </Fact>
        {gateway.events_url !== null && (
          <Fact name={say.events}>
            <CodeLine what={say.events} text={gateway.events_url} />
            <p className="mt-1 text-[0.8125rem] text-soft">{say.eventsSays}</p>
          </Fact>
        )}
      </Facts>
      {useMay('developer') && <Doings gateway={gateway} isLast={isLast} places={places} />}
    </Card>
  )
}

function Doings({ gateway, isLast, places }: GatewayCardProps) {
  const say = useWords(words)
  const [open, setOpen] = useState<'credentials' | 'deactivate' | null>(null)
  const change = useGatewayChange(gateway)
  const test = useChange(() =>
    ask<{ readonly gateway_test: GatewayTest }>(`gateways/${gateway.id}/test`, { method: 'POST', json: {} }),
  )
  const [result, setResult] = useState<GatewayTest['result'] | null>(null)
  const runTest = async () => {
    setResult(null)
    const tested = await test.run()
    if (tested.ok) setResult(tested.body.gateway_test.result)
  }
  const isActive = gateway.status === 'active'
  return (
    <div className="mt-4 space-y-4">
      <Order gateway={gateway} places={places} />
      <div role="status">
        {result !== null && <Notice kind={result === 'opens' ? 'good' : 'bad'}>{say.results[result]}</Notice>}
      </div>
      <Refusal refused={test.refused ?? change.refused} />
      <div className="flex flex-wrap gap-2">
        <Button pending={test.isRunning} onClick={runTest}>
          {say.test}
        </Button>
        {asType(gateway.type) !== null && <Button onClick={() => setOpen('credentials')}>{say.change}</Button>}
        {!gateway.default && isActive && (
          <Button pending={change.isRunning} onClick={() => change.run({ default: true }, say.isDefaultNow)}>
            {say.setDefault}
          </Button>
        )}
        {isActive ? (
          <Button onClick={() => setOpen('deactivate')}>{say.deactivate}</Button>
        ) : (
          <Button pending={change.isRunning} onClick={() => change.run({ status: 'active' }, say.activated)}>
            {say.activate}
          </Button>
        )}
      </div>
      {open === 'credentials' && <CredentialsDialog gateway={gateway} onClose={() => setOpen(null)} />}
      {open === 'deactivate' && <DeactivateDialog gateway={gateway} isLast={isLast} onClose={() => setOpen(null)} />}
    </div>
  )
}

/** Its place among those that are tried where another declined: of no use where it is alone. */
function Order({ gateway, places }: { readonly gateway: GatewayRecord; readonly places: number }) {
  const say = useWords(words)
  const change = useGatewayChange(gateway)
  if (places < 2 && gateway.fallback === null) return null
  const last = Math.max(places, gateway.fallback ?? 0)
  const set = (text: string) => change.run({ fallback: Number(text) }, say.orderSaved)
  return (
    <Field label={say.order} hint={say.orderHint} error={change.refused?.errors.fallback}>
      <Select
        value={String(gateway.fallback ?? 0)}
        disabled={change.isRunning}
        onChange={event => set(event.currentTarget.value)}
      >
        <option value="0">{say.notNext}</option>
        {Array.from({ length: last }, (_, index) => index + 1).map(place => (
          <option key={place} value={place}>
            {say.next(place)}
          </option>
        ))}
      </Select>
    </Field>
  )
}
