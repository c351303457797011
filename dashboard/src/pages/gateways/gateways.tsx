import { useState } from 'react'
import type { GatewayRecord } from '../../../../server/src/console/contract/records.ts'
import { useMay } from '../../ask/me.tsx'
import { useAsked } from '../../ask/use-asked.ts'
import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Notice } from '../../parts/failure.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { useWords } from '../../words/language.tsx'
import { ConnectDialog } from './connect-dialog.tsx'
import { GatewayCard } from './gateway-card.tsx'
import { words } from './words.ts'

export function GatewaysPage() {
  const say = useWords(words)
  const may = useMay('developer')
  const [isConnecting, setConnecting] = useState(false)
  const shown = useAsked<readonly GatewayRecord[]>('rest/gateways', { query: { limit: 100 } })
  const connect = may && (
    <Button kind="primary" icon={<Icon name="plus" />} onClick={() => setConnecting(true)}>
      {say.connect}
    </Button>
  )
  const isFirst = shown.state === 'there' && shown.body.length === 0
  return (
    <>
      <PageHead title={say.title} lead={say.lead} actions={connect} />
      <Loaded shown={shown}>
        {gateways =>
          gateways.length === 0 ? (
            <Empty icon="gateway" title={say.none}>
              {say.noneSays}
            </Empty>
          ) : (
            <Gateways gateways={gateways} />
          )
        }
      </Loaded>
      {isConnecting && <ConnectDialog isFirst={isFirst} onClose={() => setConnecting(false)} />}
    </>
  )
}

function Gateways({ gateways }: { readonly gateways: readonly GatewayRecord[] }) {
  const say = useWords(words)
  const active = gateways.filter(({ status }) => status === 'active')
  return (
    <div className="space-y-6">
      {active.length === 0 && <Notice kind="waits">{say.allInactive}</Notice>}
      <div className="grid items-start gap-6 xl:grid-cols-2">
        {gateways.map(gateway => (
          <GatewayCard
            key={gateway.id}
            gateway={gateway}
            isLast={active.length === 1 && gateway.status === 'active'}
            places={gateways.length}
          />
        ))}
      </div>
    </div>
  )
}
