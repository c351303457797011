import { useState } from 'react'
import type { ApiKeyRecord } from '../../../../server/src/console/contract/api-settings.ts'
import { useMay } from '../../ask/me.tsx'
import { useAsked } from '../../ask/use-asked.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { CodeLine } from '../../parts/code-block.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { type Column, Table, TableSkeleton } from '../../parts/table.tsx'
import { When } from '../../parts/when.tsx'
import { useWords } from '../../words/language.tsx'
import { CreateKey, RevokeKey } from './key-dialogs.tsx'
import { SettingsPage } from './settings-page.tsx'
import { words } from './words.ts'

export function KeysPage() {
  const say = useWords(words)
  const mayChange = useMay('developer')
  const [isCreating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<ApiKeyRecord | null>(null)
  const shown = useAsked<ApiKeyRecord[]>('api_keys')
  const create = mayChange && (
    <Button kind="primary" icon={<Icon name="plus" />} onClick={() => setCreating(true)}>
      {say.createKey}
    </Button>
  )
  return (
    <SettingsPage lead={say.keysLead} actions={create}>
      <Loaded shown={shown} waiting={<TableSkeleton columns={5} rows={3} />}>
        {keys =>
          keys.length === 0 ? (
            <Empty icon="key" title={say.noKeys}>
              {say.noKeysSays}
            </Empty>
          ) : (
            <KeyTable keys={keys} onRevoke={mayChange ? setRevoking : null} />
          )
        }
      </Loaded>
      {isCreating && <CreateKey onClose={() => setCreating(false)} />}
      {revoking !== null && <RevokeKey apiKey={revoking} onClose={() => setRevoking(null)} />}
    </SettingsPage>
  )
}

interface KeyTableProps {
  readonly keys: readonly ApiKeyRecord[]
  /** Null: they may not. */
  readonly onRevoke: ((key: ApiKeyRecord) => void) | null
}

function KeyTable({ keys, onRevoke }: KeyTableProps) {
  const say = useWords(words)
  const columns: Column<ApiKeyRecord>[] = [
    { name: say.keyName, cell: key => key.name ?? <span className="text-soft">{say.unnamed}</span> },
    { name: say.key, cell: key => <CodeLine what={say.key} text={key.id} />, grows: true },
    { name: say.createdBy, cell: key => key.created_by ?? say.commandLine, wideOnly: true },
    { name: say.created, cell: key => <When at={key.created_at} />, wideOnly: true },
    {
      name: say.lastUsed,
      cell: key => (key.last_used_at === null ? say.never : <When at={key.last_used_at} relative real />),
    },
    {
      name: say.state,
      cell: key =>
        key.revoked_at === null ? <Badge tone="good">{say.inForce}</Badge> : <Badge tone="plain">{say.revoked}</Badge>,
    },
    ...(onRevoke === null
      ? []
      : [{ name: say.revoke, hideName: true, cell: (key: ApiKeyRecord) => revokeButton(key) }]),
  ]
  const revokeButton = (key: ApiKeyRecord) =>
    key.revoked_at === null && (
      <Button small aria-label={`${say.revoke}: ${key.name ?? key.id}`} onClick={() => onRevoke?.(key)}>
        {say.revoke}
      </Button>
    )
  return <Table caption={say.keys} columns={columns} rows={keys} keyOf={key => key.id} />
}
