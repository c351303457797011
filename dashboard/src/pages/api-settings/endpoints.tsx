import { useState } from 'react'
import type { EndpointHealth } from '../../../../server/src/console/contract/api-settings.ts'
import type { HookEndpointRecord, HookKind } from '../../../../server/src/console/contract/records.ts'
import { useMay } from '../../ask/me.tsx'
import { useAsked } from '../../ask/use-asked.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useWords } from '../../words/language.tsx'
import { states } from '../../words/states.ts'
import { shownKinds } from '../deliveries/delivery-filters.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { EndpointRow } from './endpoint-row.tsx'
import { SettingsPage } from './settings-page.tsx'
import { words } from './words.ts'

const healthEveryMs = 5_000

export function EndpointsPage() {
  const say = useWords(words)
  const mayChange = useMay('developer')
  const [adding, setAdding] = useState<HookKind | null>(null)
  const shown = useAsked<HookEndpointRecord[]>('rest/hook_endpoints', { query: { limit: 100 } })
  const asked = useAsked<EndpointHealth[]>('endpoints', { everyMs: healthEveryMs })
  const health = asked.state === 'there' ? asked.body : []
  return (
    <SettingsPage
      lead={say.endpointsLead}
      actions={
        mayChange && (
          <Button kind="primary" icon={<Icon name="plus" />} onClick={() => setAdding('transaction')}>
            {say.add}
          </Button>
        )
      }
    >
      <Loaded shown={shown}>
        {endpoints => (
          <div className="space-y-6">
            {shownKinds.map(kind => (
              <Kind
                key={kind}
                kind={kind}
                endpoints={endpoints.filter(endpoint => endpoint.kind === kind)}
                health={health}
                onAdd={mayChange ? () => setAdding(kind) : null}
              />
            ))}
          </div>
        )}
      </Loaded>
      {adding !== null && <EndpointForm kind={adding} onClose={() => setAdding(null)} />}
    </SettingsPage>
  )
}

interface KindProps {
  readonly kind: HookKind
  readonly endpoints: readonly HookEndpointRecord[]
  readonly health: readonly EndpointHealth[]
  /** Null: they may not. */
  readonly onAdd: (() => void) | null
}

function Kind({ kind, endpoints, health, onAdd }: KindProps) {
  const say = useWords(words)
  const { hook } = useWords(states)
  const add = onAdd !== null && (
    <Button small aria-label={say.addOf(hook[kind])} icon={<Icon name="plus" className="size-4" />} onClick={onAdd}>
      {say.add}
    </Button>
  )
  return (
    <Card title={hook[kind]} lead={say.kinds[kind]} actions={add} flush={endpoints.length > 0}>
      {endpoints.length === 0 && <p className="text-soft">{say.empty[kind]}</p>}
      {endpoints.map(endpoint => (
        <EndpointRow
          key={endpoint.id}
          endpoint={endpoint}
          health={health.find(({ id }) => id === endpoint.id) ?? null}
        />
      ))}
    </Card>
  )
}
