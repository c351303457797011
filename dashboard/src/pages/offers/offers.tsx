import type { OfferRow } from '../../../../server/src/console/contract/selling.ts'
import { useMay } from '../../ask/me.tsx'
import { useAsked } from '../../ask/use-asked.ts'
import { ButtonLink } from '../../parts/button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { FilterSelect, Filters, FilterText } from '../../parts/filters.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Money } from '../../parts/money.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Pages } from '../../parts/pages.tsx'
import { type Column, Table, TableSkeleton } from '../../parts/table.tsx'
import { useFilters } from '../../parts/url.ts'
import { When } from '../../parts/when.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { OfferBadge } from './offer-badge.tsx'
import { words } from './words-list.ts'

const names = ['search', 'active'] as const

export function OffersPage() {
  const say = useWords(words)
  const [filters] = useFilters([...names, 'after'])
  const shown = useAsked<readonly OfferRow[]>('offers', { query: filters })
  const isFiltered = filters.search !== '' || filters.active !== ''
  return (
    <>
      <PageHead title={say.title} lead={say.lead} actions={<NewOffer />} />
      <Filters names={names}>
        <FilterText name="search" label={say.search} placeholder={say.searchHint} />
        <FilterSelect
          name="active"
          label={say.state}
          options={[
            { value: '', label: say.all },
            { value: 'true', label: say.active },
            { value: 'false', label: say.inactive },
          ]}
        />
      </Filters>
      <Loaded shown={shown} waiting={<TableSkeleton columns={5} />}>
        {(rows, { next, isOld }) => (
          <>
            {rows.length === 0 ? <NoOffers isFiltered={isFiltered} /> : <OfferTable rows={rows} isOld={isOld} />}
            <Pages next={next} />
          </>
        )}
      </Loaded>
    </>
  )
}

function NewOffer() {
  const say = useWords(words)
  if (!useMay('developer')) return null
  return (
    <ButtonLink kind="primary" to="/offers/new" icon={<Icon name="plus" />}>
      {say.create}
    </ButtonLink>
  )
}

function NoOffers({ isFiltered }: { readonly isFiltered: boolean }) {
  const say = useWords(words)
  if (isFiltered) {
    return (
      <Empty icon="search" title={say.notFound}>
        {say.notFoundSays}
      </Empty>
    )
  }
  return (
    <Empty icon="offer" title={say.none} action={<NewOffer />}>
      {say.noneSays}
    </Empty>
  )
}

function OfferTable({ rows, isOld }: { readonly rows: readonly OfferRow[]; readonly isOld: boolean }) {
  const say = useWords(words)
  const { locale } = useLanguage()
  const count = ({ sold }: OfferRow) => `${sold.count.toLocaleString(locale)}${sold.at_least ? '+' : ''}`
  const columns: readonly Column<OfferRow>[] = [
    { name: say.name, cell: row => row.title, grows: true },
    { name: say.state, cell: row => <OfferBadge state={row.state} /> },
    { name: say.amount, cell: row => <Money amount={row.amount} currency={row.currency} />, end: true },
    { name: say.sold, cell: count, end: true },
    {
      name: say.taken,
      cell: ({ sold, currency }) => (
        <>
          <Money amount={sold.amount} currency={currency} />
          {sold.at_least && '+'}
        </>
      ),
      end: true,
      wideOnly: true,
    },
    { name: say.made, cell: row => <When at={row.created_at} />, wideOnly: true },
  ]
  return (
    <Table
      caption={say.title}
      columns={columns}
      rows={rows}
      keyOf={row => row.offer_id}
      linkOf={row => ({ to: '/offers/$id', params: { id: row.offer_id } })}
      isOld={isOld}
    />
  )
}
