import { Link } from '@tanstack/react-router'
import type { EndpointHealth } from '../../../../server/src/console/contract/api-settings.ts'
import type { HookEndpointRecord } from '../../../../server/src/console/contract/records.ts'
import { Badge } from '../../parts/badge.tsx'
import { When } from '../../parts/when.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { causeWords } from '../deliveries/cause-words.ts'
import { causeOf } from '../deliveries/causes.ts'
import { EndpointActions } from './endpoint-actions.tsx'
import { words } from './words.ts'

interface EndpointRowProps {
  readonly endpoint: HookEndpointRecord
  /** Null: not known yet. */
  readonly health: EndpointHealth | null
}

export function EndpointRow({ endpoint, health }: EndpointRowProps) {
  return (
    <div className="flex flex-wrap items-start gap-x-4 gap-y-3 border-t border-line px-5 py-4">
      <div className="min-w-0 flex-1 basis-80 space-y-1">
        <p className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 font-mono text-[0.8125rem] break-all">{endpoint.url}</span>
          <StatusBadge endpoint={endpoint} isFailing={health?.failing_since != null} />
        </p>
        {health !== null && <LastResult health={health} />}
        {health !== null && <Counts health={health} id={endpoint.id} />}
      </div>
      <EndpointActions endpoint={endpoint} />
    </div>
  )
}

function StatusBadge({ endpoint, isFailing }: { endpoint: HookEndpointRecord; isFailing: boolean }) {
  const say = useWords(words)
  if (endpoint.paused_because === 'failing') return <Badge tone="bad">{say.pausedFailing}</Badge>
  if (endpoint.status === 'paused') return <Badge tone="waits">{say.paused}</Badge>
  return isFailing ? <Badge tone="bad">{say.failing}</Badge> : <Badge tone="good">{say.enabled}</Badge>
}

function LastResult({ health: { last_attempt: last, failing_since } }: { readonly health: EndpointHealth }) {
  const say = useWords(words)
  const { language } = useLanguage()
  if (last === null) return <p className="text-soft">{say.neverTold}</p>
  const cause = causeOf(last)
  return (
    <p>
      <Link
        to="/deliveries/$id"
        params={{ id: last.delivery }}
        className={cause === null ? 'text-good underline' : 'text-bad underline'}
      >
        {cause === null
          ? say.lastAccepted(last.status ?? 0)
          : [`${say.lastFailed}: ${causeWords[language][cause].title}`, last.status !== null && `(${last.status})`]
              .filter(Boolean)
              .join(' ')}
      </Link>{' '}
      <span className="text-soft">
        <When at={last.at} relative />
        {failing_since !== null && (
          <>
            {' · '}
            {say.failingSince} <When at={failing_since} />
          </>
        )}
      </span>
    </p>
  )
}

function Counts({ health, id }: { readonly health: EndpointHealth; readonly id: string }) {
  const say = useWords(words)
  const { locale } = useLanguage()
  const shown = (count: number) => `${count.toLocaleString(locale)}${count >= health.counted_max ? '+' : ''}`
  const { delivered, failed, waiting, dropped } = health
  if (delivered + failed + waiting + dropped === 0) return null
  return (
    <p className="flex flex-wrap gap-x-3 text-soft tabular-nums">
      <span>{say.day(shown(delivered), shown(failed))}</span>
      {waiting > 0 && (
        <Link to="/deliveries" search={{ endpoint: id, state: 'pending' } as never} className="underline">
          {say.waiting(shown(waiting))}
        </Link>
      )}
      {dropped > 0 && (
        <Link to="/deliveries" search={{ endpoint: id, state: 'dropped' } as never} className="text-bad underline">
          {say.dropped(shown(dropped))}
        </Link>
      )}
    </p>
  )
}
