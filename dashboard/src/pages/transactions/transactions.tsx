import type { TransactionRow } from '../../../../server/src/console/contract/transactions.ts'
import { useAsked } from '../../ask/use-asked.ts'
import { ButtonLink } from '../../parts/button.tsx'
import { Download } from '../../parts/download.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Pages } from '../../parts/pages.tsx'
import { TableSkeleton } from '../../parts/table.tsx'
import { useWords } from '../../words/language.tsx'
import { TransactionFilters, useListQuery } from './transaction-filters.tsx'
import { TransactionTable } from './transaction-table.tsx'
import { words } from './words.ts'

const newestEveryMs = 10_000
const searchCharsMin = 3

export function TransactionsPage() {
  const say = useWords(words)
  const { query, isAnySet } = useListQuery()
  const isTooShort = query.search !== '' && query.search.length < searchCharsMin
  const shown = useAsked<TransactionRow[]>('transactions', {
    query,
    everyMs: query.after === '' && newestEveryMs,
    isOff: isTooShort,
  })
  const fitsTooMany = shown.state === 'failed' && shown.refused.errors.search !== undefined
  const { after: _, ...choice } = query
  return (
    <>
      <PageHead
        title={say.title}
        lead={say.lead}
        actions={
          <Download path="transactions.csv" query={choice}>
            {say.exportAll}
          </Download>
        }
      />
      <TransactionFilters />
      {isTooShort || fitsTooMany ? (
        <Empty icon="search" title={isTooShort ? say.tooShort : say.tooMany}>
          {isTooShort ? say.searchHint : say.tooManySays}
        </Empty>
      ) : (
        <Loaded shown={shown} waiting={<TableSkeleton columns={7} />}>
          {(rows, { next, isOld }) => (
            <>
              {rows.length === 0 ? (
                <NoTransactions isFiltered={isAnySet} />
              ) : (
                <TransactionTable rows={rows} isOld={isOld} />
              )}
              <Pages next={next} />
            </>
          )}
        </Loaded>
      )}
    </>
  )
}

function NoTransactions({ isFiltered }: { readonly isFiltered: boolean }) {
  const say = useWords(words)
  if (isFiltered) {
    return (
      <Empty icon="search" title={say.noMatch}>
        {say.noMatchSays}
      </Empty>
    )
  }
  return (
    <Empty
      icon="money"
      title={say.nothing}
      action={
        <ButtonLink kind="primary" to="/offers">
          {say.toOffers}
        </ButtonLink>
      }
    >
      {say.nothingSays}
    </Empty>
  )
}
