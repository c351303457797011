import type { CustomerRow } from '../../../../server/src/console/contract/customers.ts'
import { useAsked } from '../../ask/use-asked.ts'
import { Empty } from '../../parts/empty.tsx'
import { Filters, FilterText } from '../../parts/filters.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Money } from '../../parts/money.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Pages } from '../../parts/pages.tsx'
import { TransactionBadge } from '../../parts/state-badges.tsx'
import { type Column, Table, TableSkeleton } from '../../parts/table.tsx'
import { useFilters } from '../../parts/url.ts'
import { When } from '../../parts/when.tsx'
import { useWords } from '../../words/language.tsx'
import { words } from './words.ts'

export function CustomersPage() {
  const say = useWords(words)
  const [{ q, after }] = useFilters(['q', 'after'])
  const shown = useAsked<CustomerRow[]>('customers', { query: { search: q, after } })
  const fitsTooMany = shown.state === 'failed' && shown.refused.errors.search !== undefined
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      <Filters names={['q']}>
        <FilterText name="q" label={say.search} placeholder={say.searchHint} />
      </Filters>
      {fitsTooMany ? (
        <Empty icon="search" title={say.tooMany}>
          {say.tooManySays}
        </Empty>
      ) : (
        <Loaded shown={shown} waiting={<TableSkeleton columns={5} />}>
          {(rows, { next, isOld }) => (
            <>
              {rows.length === 0 ? <NoCustomers isFiltered={q !== ''} /> : <CustomerTable rows={rows} isOld={isOld} />}
              <Pages next={next} />
            </>
          )}
        </Loaded>
      )}
    </>
  )
}

function NoCustomers({ isFiltered }: { readonly isFiltered: boolean }) {
  const say = useWords(words)
  return (
    <Empty icon={isFiltered ? 'search' : 'people'} title={isFiltered ? say.noMatch : say.nothing}>
      {isFiltered ? say.noMatchSays : say.nothingSays}
    </Empty>
  )
}

function CustomerTable({ rows, isOld }: { readonly rows: readonly CustomerRow[]; readonly isOld: boolean }) {
  const say = useWords(words)
  const columns: Column<CustomerRow>[] = [
    { name: say.email, cell: row => row.email ?? say.erased, grows: true },
    { name: say.name, cell: row => row.name ?? '–' },
    { name: say.cards, cell: row => row.cards, end: true },
    { name: say.newest, cell: row => <Newest row={row} /> },
    { name: say.since, cell: row => <When at={row.created_at} />, wideOnly: true },
  ]
  return (
    <Table
      caption={say.title}
      columns={columns}
      rows={rows}
      keyOf={row => row.id}
      linkOf={row => ({ to: '/customers/$id', params: { id: row.id } })}
      isOld={isOld}
    />
  )
}

function Newest({ row: { newest } }: { readonly row: CustomerRow }) {
  const say = useWords(words)
  if (newest === null) return <span className="text-soft">{say.never}</span>
  return (
    <span className="inline-flex flex-wrap items-center justify-end gap-x-2">
      <Money amount={newest.amount} currency={newest.currency} />
      <TransactionBadge status={newest.status} />
    </span>
  )
}
