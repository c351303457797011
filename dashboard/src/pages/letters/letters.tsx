import type { LetterRecord } from '../../../../server/src/console/contract/records.ts'
import { useAsked } from '../../ask/use-asked.ts'
import { Empty } from '../../parts/empty.tsx'
import { FilterSelect, Filters, FilterText } from '../../parts/filters.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Pages } from '../../parts/pages.tsx'
import { type Column, Table, TableSkeleton } from '../../parts/table.tsx'
import { useFilters } from '../../parts/url.ts'
import { When } from '../../parts/when.tsx'
import { useWords } from '../../words/language.tsx'
import { Outcome, Proof, useWhyNotProven } from './letter-parts.tsx'
import { words } from './words.ts'

const names = ['email', 'proven'] as const

export function LettersPage() {
  const say = useWords(words)
  const [{ email, ...filters }] = useFilters([...names, 'after'])
  // Half an address is none yet: it is not asked for.
  const query = { ...filters, email: email.includes('@') ? email : '' }
  const shown = useAsked<readonly LetterRecord[]>('rest/letters', { query })
  const isFiltered = query.email !== '' || filters.proven !== ''
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      <Filters names={names}>
        <FilterText name="email" label={say.email} placeholder="ada@example.com" />
        <FilterSelect
          name="proven"
          label={say.proof}
          options={[
            { value: '', label: say.all },
            { value: 'true', label: say.proven },
            { value: 'false', label: say.notProven },
          ]}
        />
      </Filters>
      <Loaded shown={shown} waiting={<TableSkeleton columns={4} />}>
        {(rows, { next, isOld }) => (
          <>
            {rows.length === 0 ? (
              <Empty icon="letter" title={isFiltered ? say.noneFits : say.none}>
                {isFiltered ? say.noneFitsSays : say.noneSays}
              </Empty>
            ) : (
              <Letters rows={rows} isOld={isOld} />
            )}
            <Pages next={next} />
          </>
        )}
      </Loaded>
    </>
  )
}

function Letters({ rows, isOld }: { readonly rows: readonly LetterRecord[]; readonly isOld: boolean }) {
  const say = useWords(words)
  const whyNot = useWhyNotProven()
  const columns: readonly Column<LetterRecord>[] = [
    { name: say.from, cell: row => row.from ?? say.nobody },
    { name: say.proof, cell: row => <Proof isProven={row.proven} /> },
    { name: say.why, cell: row => whyNot(row), grows: true, wideOnly: true },
    { name: say.outcome, cell: row => <Outcome letter={row} /> },
    { name: say.received, cell: row => <When at={row.received_at} /> },
  ]
  return (
    <Table
      caption={say.title}
      columns={columns}
      rows={rows}
      keyOf={row => row.id}
      linkOf={row => ({ to: '/letters/$id', params: { id: row.id } })}
      isOld={isOld}
    />
  )
}
