import { Link } from '@tanstack/react-router'
import type { ChangeRecord } from '../../../../server/src/console/contract/changes.ts'
import { useAsked } from '../../ask/use-asked.ts'
import { Badge } from '../../parts/badge.tsx'
import { Empty } from '../../parts/empty.tsx'
import { FilterDay, FilterSelect, Filters, FilterText } from '../../parts/filters.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Pages } from '../../parts/pages.tsx'
import { type Column, Table, TableSkeleton } from '../../parts/table.tsx'
import { useFilters } from '../../parts/url.ts'
import { When } from '../../parts/when.tsx'
import { endOfDay, startOfDay } from '../../words/days.ts'
import { useLanguage, useWords } from '../../words/language.tsx'
import { useBrowserName } from '../account/browser.tsx'
import { actionWords, saidAction, triedAction } from './action-words.ts'
import { words } from './words.ts'

export function ChangesPage() {
  const say = useWords(words)
  const [{ by, action, about, since, until, after }] = useFilters(['by', 'action', 'about', 'since', 'until', 'after'])
  const query = { by, action, about, created_after: startOfDay(since), created_before: endOfDay(until), after }
  const shown = useAsked<ChangeRecord[]>('changes', { query })
  const columns = useColumns()
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      <ChangeFilters />
      <Loaded shown={shown} waiting={<TableSkeleton columns={4} />}>
        {(rows, { next, isOld }) =>
          rows.length === 0 ? (
            <Empty icon="log" title={say.nothing}>
              {say.nothingSays}
            </Empty>
          ) : (
            <>
              <Table caption={say.title} columns={columns} rows={rows} keyOf={row => row.id} isOld={isOld} />
              <Pages next={next} />
            </>
          )
        }
      </Loaded>
    </>
  )
}

function ChangeFilters() {
  const say = useWords(words)
  const { language, locale } = useLanguage()
  const actions = Object.entries(actionWords[language])
    .map(([value, label]) => ({ value, label }))
    .sort((one, other) => one.label.localeCompare(other.label, locale))
  return (
    <Filters names={['by', 'action', 'about', 'since', 'until']}>
      <FilterText name="by" label={say.who} placeholder={say.whoHint} />
      <FilterSelect name="action" label={say.what} options={[{ value: '', label: say.anything }, ...actions]} />
      <FilterText name="about" label={say.about} placeholder={say.aboutHint} />
      <FilterDay name="since" label={say.since} />
      <FilterDay name="until" label={say.until} />
    </Filters>
  )
}

function useColumns(): readonly Column<ChangeRecord>[] {
  const say = useWords(words)
  const nameOf = useBrowserName()
  return [
    { name: say.when, cell: row => <When at={row.created_at} /> },
    { name: say.what, cell: row => <Sentence change={row} />, grows: true },
    {
      name: say.from,
      cell: row => (
        <span title={row.user_agent} className="text-soft">
          {[row.address, row.user_agent === '' ? '' : nameOf(row.user_agent)].filter(each => each !== '').join(' · ')}
        </span>
      ),
    },
    { name: say.outcome, cell: row => <Outcome status={row.status} /> },
  ]
}

/** Who did what; below it to what, and what was kept of how. */
function Sentence({ change }: { readonly change: ChangeRecord }) {
  const say = useWords(words)
  const { language } = useLanguage()
  const details = Object.entries(change.detail).map(([name, value]) => `${name.replaceAll('_', ' ')}: ${said(value)}`)
  const isRefused = change.status !== null && change.status >= 400
  return (
    <div className="text-right whitespace-normal break-words sm:text-left">
      <p>
        <span className="font-medium">{nameOf(change.by, say)}</span>{' '}
        {(isRefused ? triedAction : saidAction)(language, change.action)}
      </p>
      {(change.about !== null || details.length > 0) && (
        <p className="text-[0.8125rem] text-soft">
          {change.about !== null && <About about={change.about} action={change.action} />}
          {change.about !== null && details.length > 0 && ' · '}
          {details.join(' · ')}
        </p>
      )}
    </div>
  )
}

const places: readonly (readonly [
  action: RegExp,
  to: '/transactions/$id' | '/offers/$id' | '/deliveries/$id' | '/doubt/$id',
])[] = [
  [/^transaction_/, '/transactions/$id'],
  [/^offer_/, '/offers/$id'],
  [/^hook_resent$/, '/deliveries/$id'],
  [/^doubt_settled$/, '/doubt/$id'],
]
const uuid = /^[0-9a-f]{8}-[0-9a-f-]{27}$/

/** Where it can be looked at, a link. */
function About({ about, action }: { readonly about: string; readonly action: string }) {
  const place = places.find(([pattern]) => pattern.test(action))
  if (place === undefined || !uuid.test(about)) return about
  return (
    <Link to={place[1]} params={{ id: about }} className="underline">
      {about}
    </Link>
  )
}

function nameOf(by: string, say: { readonly commandLine: string; readonly apiKey: string }): string {
  if (by === 'command line') return say.commandLine
  return by.startsWith('pk_') ? `${say.apiKey} ${by.slice(0, 11)}…` : by
}

function said(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

function Outcome({ status }: { readonly status: number | null }) {
  const say = useWords(words)
  if (status === null) return <Badge tone="waits">{say.unknown}</Badge>
  if (status < 400) return <Badge tone="good">{say.done}</Badge>
  return <Badge tone="bad">{status < 500 ? say.refused(status) : say.failed(status)}</Badge>
}
