import { Link } from '@tanstack/react-router'
import type { DoubtRecord } from '../../../../server/src/console/contract/doubt.ts'
import { useAsked } from '../../ask/use-asked.ts'
import { Empty } from '../../parts/empty.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Money } from '../../parts/money.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Pages } from '../../parts/pages.tsx'
import { ServiceSays } from '../../parts/service-says.tsx'
import { type Column, Table, TableSkeleton } from '../../parts/table.tsx'
import { useFilters } from '../../parts/url.ts'
import { When } from '../../parts/when.tsx'
import { useWords } from '../../words/language.tsx'
import { DoubtBadge } from './doubt-badge.tsx'
import { Sentences, sentencesOf } from './sentences.tsx'
import { words } from './words.ts'

const everyMs = 15_000

export function DoubtPage() {
  const say = useWords(words)
  const [{ state, after }] = useFilters(['state', 'after'])
  const isSettled = state === 'settled'
  const shown = useAsked<DoubtRecord[]>('doubt', { query: { state: isSettled ? 'settled' : 'open', after }, everyMs })
  const columns: readonly Column<DoubtRecord>[] = [
    { name: say.what, cell: row => say.kinds[row.kind] },
    { name: say.amount, end: true, cell: row => <Money amount={row.amount} currency={row.currency} /> },
    { name: say.since, cell: row => <When at={row.since} /> },
    { name: say.state, cell: row => <DoubtBadge doubt={row} /> },
    { name: say.lastHeard, wideOnly: true, grows: true, cell: row => <Heard doubt={row} /> },
  ]
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      <StateSwitch isSettled={isSettled} />
      <Loaded shown={shown} waiting={<TableSkeleton columns={4} rows={3} />}>
        {(rows, { next, isOld }) =>
          rows.length === 0 ? (
            <Empty icon="check" title={isSettled ? say.noneSettled : say.none}>
              {isSettled ? say.noneSettledSays : say.noneSays}
            </Empty>
          ) : (
            <>
              <Table
                caption={say.title}
                columns={columns}
                rows={rows}
                keyOf={row => row.operation}
                linkOf={row => ({ to: '/doubt/$id', params: { id: row.operation } as never })}
                isOld={isOld}
              />
              <Pages next={next} />
            </>
          )
        }
      </Loaded>
    </>
  )
}

function StateSwitch({ isSettled }: { readonly isSettled: boolean }) {
  const say = useWords(words)
  const states = [
    { state: '', label: say.open, isHere: !isSettled },
    { state: 'settled', label: say.settled, isHere: isSettled },
  ]
  return (
    <nav aria-label={say.show} className="mb-4 flex gap-5 border-b border-line">
      {states.map(({ state, label, isHere }) => (
        <Link
          key={state}
          to="/doubt"
          search={{ state } as never}
          aria-current={isHere ? 'page' : undefined}
          activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
          activeProps={{}}
          className={`-mb-px border-b-2 py-2 ${isHere ? 'border-accent font-medium' : 'border-transparent text-soft hover:text-ink'}`}
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}

function Heard({ doubt }: { readonly doubt: DoubtRecord }) {
  if (doubt.for_person !== null) return <Sentences sentences={sentencesOf(doubt)} />
  return doubt.last_heard !== null && <ServiceSays sentence={doubt.last_heard} />
}
