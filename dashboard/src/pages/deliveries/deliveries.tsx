import { useState } from 'react'
import type { DeliveryRecord, HookEndpointRecord } from '../../../../server/src/console/contract/records.ts'
import { useMay } from '../../ask/me.tsx'
import { useAsked } from '../../ask/use-asked.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Pages } from '../../parts/pages.tsx'
import { type Column, Table, TableSkeleton } from '../../parts/table.tsx'
import { useFilters } from '../../parts/url.ts'
import { When } from '../../parts/when.tsx'
import { endOfDay, startOfDay } from '../../words/days.ts'
import { useWords } from '../../words/language.tsx'
import { states } from '../../words/states.ts'
import { DeliveryFilters, filterNames, toResend } from './delivery-filters.tsx'
import { ResendRange } from './resend-range.tsx'
import { StateBadge } from './state-badge.tsx'
import { words } from './words.ts'

const liveEveryMs = 3_000
export const testTransaction = '00000000-0000-0000-0000-000000000000'

export function DeliveriesPage() {
  const say = useWords(words)
  const mayResend = useMay('developer')
  const [isPaused, setPaused] = useState(false)
  const [isResending, setResending] = useState(false)
  const [{ from, to, ...filters }] = useFilters([...filterNames, 'after'])
  const isNewest = filters.after === ''
  const { state, ...others } = filters
  const isToResend = state === toResend
  const shown = useAsked<DeliveryRecord[]>(isToResend ? 'dropped_deliveries' : 'rest/hook_deliveries', {
    query: {
      ...others,
      ...(!isToResend && { state }),
      created_after: startOfDay(from),
      created_before: endOfDay(to),
    },
    everyMs: isNewest && !isPaused && liveEveryMs,
  })
  const isFailing = shown.state === 'failed' || (shown.state === 'there' && shown.outdated !== null)
  const endpoints = useAsked<HookEndpointRecord[]>('rest/hook_endpoints', { query: { limit: 100 } })
  const known = endpoints.state === 'there' ? endpoints.body : []
  return (
    <>
      <PageHead
        title={say.title}
        lead={say.lead}
        actions={mayResend && <Button onClick={() => setResending(true)}>{say.resendRange}</Button>}
      />
      <DeliveryFilters endpoints={known} />
      <Live isNewest={isNewest} isPaused={isPaused} isFailing={isFailing} turn={() => setPaused(!isPaused)} />
      <Loaded shown={shown} waiting={<TableSkeleton columns={6} />}>
        {(rows, { next, isOld }) => (
          <>
            {rows.length === 0 ? <NoDeliveries /> : <DeliveryTable rows={rows} isOld={isOld} />}
            <Pages next={next} />
          </>
        )}
      </Loaded>
      {isResending && <ResendRange endpoints={known} onClose={() => setResending(false)} />}
    </>
  )
}

function Live(props: {
  readonly isNewest: boolean
  readonly isPaused: boolean
  readonly isFailing: boolean
  readonly turn: () => void
}) {
  const say = useWords(words)
  const { isNewest, isPaused, isFailing, turn } = props
  if (!isNewest) return <p className="mb-3 text-soft">{say.isOlder}</p>
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1">
      {!isPaused && <Badge tone={isFailing ? 'bad' : 'good'}>{isFailing ? say.notLive : say.live}</Badge>}
      <span className="text-soft">{isPaused ? say.isPaused : isFailing ? say.triesAgain : say.isLive}</span>
      <Button kind="quiet" small onClick={turn}>
        {isPaused ? say.goOn : say.pause}
      </Button>
    </div>
  )
}

function NoDeliveries() {
  const say = useWords(words)
  const [filters] = useFilters([...filterNames, 'after'])
  if (Object.values(filters).some(value => value !== '')) {
    return (
      <Empty icon="search" title={say.noMatch}>
        {say.noMatchSays}
      </Empty>
    )
  }
  return (
    <Empty
      icon="deliveries"
      title={say.nothing}
      action={
        <ButtonLink kind="primary" to="/api-settings">
          {say.toEndpoints}
        </ButtonLink>
      }
    >
      {say.nothingSays}
    </Empty>
  )
}

/** Also on the pages of an endpoint and of a transaction. */
export function DeliveryTable({ rows, isOld }: { readonly rows: readonly DeliveryRecord[]; readonly isOld?: boolean }) {
  const say = useWords(words)
  const { hook, delivery } = useWords(states)
  const columns: Column<DeliveryRecord>[] = [
    {
      name: say.notification,
      cell: row => (row.transaction === testTransaction ? `${hook[row.kind]} · ${say.test}` : hook[row.kind]),
    },
    { name: say.state, cell: row => <StateBadge delivery={row} /> },
    { name: say.endpoint, cell: row => <span title={row.url}>{row.url}</span>, grows: true },
    { name: say.attempts, cell: row => row.attempts, end: true },
    {
      name: say.next,
      cell: row => (row.next_attempt_at === null ? '–' : <When at={row.next_attempt_at} relative />),
      wideOnly: true,
    },
    { name: say.created, cell: row => <When at={row.created_at} /> },
  ]
  return (
    <Table
      caption={say.title}
      columns={columns}
      rows={rows}
      keyOf={row => row.id}
      linkOf={row => ({ to: '/deliveries/$id', params: { id: row.id } })}
      nameOf={row => [hook[row.kind], delivery[row.state], row.url].join(', ')}
      isOld={isOld ?? false}
    />
  )
}
