import { useId } from 'react'
import type { TransactionStatus } from '../../../../server/src/console/contract/records.ts'
import type { SaleNeed } from '../../../../server/src/console/contract/transactions.ts'
import { Button } from '../../parts/button.tsx'
import { Checkbox } from '../../parts/controls.tsx'
import { FilterDay, FilterSelect, Filters, FilterText } from '../../parts/filters.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Menu } from '../../parts/menu.tsx'
import { useFilters } from '../../parts/url.ts'
import { endOfDay, startOfDay } from '../../words/days.ts'
import { useWords } from '../../words/language.tsx'
import { states } from '../../words/states.ts'
import { words } from './words.ts'

const filterNames = ['q', 'status', 'source', 'needs', 'offer', 'customer', 'from', 'to'] as const

/** What the list is asked for, as the address says it. */
export function useListQuery() {
  const [{ q, from, to, ...filters }] = useFilters([...filterNames, 'after'])
  const isAnySet = [q, from, to, ...Object.values(filters)].some(value => value !== '')
  const query = { ...filters, search: q, created_after: startOfDay(from), created_before: endOfDay(to) }
  return { query, isAnySet }
}

export function TransactionFilters() {
  const say = useWords(words)
  const sources = [
    { value: '', label: say.anySource },
    { value: 'Web Transaction', label: say.web },
    { value: 'Email Transaction', label: say.mail },
  ]
  const needs = [{ value: '', label: say.anyNeed }, ...shownNeeds.map(value => ({ value, label: say.need[value] }))]
  return (
    <Filters names={filterNames}>
      <FilterText name="q" label={say.search} placeholder={say.searchHint} />
      <StatusFilter />
      <FilterSelect name="source" label={say.source} options={sources} />
      <FilterSelect name="needs" label={say.needs} options={needs} />
      <FilterDay name="from" label={say.from} />
      <FilterDay name="to" label={say.to} />
      <Only name="offer" label={say.onlyOffer} />
      <Only name="customer" label={say.onlyCustomer} />
    </Filters>
  )
}

const shownNeeds: readonly SaleNeed[] = ['in_doubt', 'disputed', 'untold', 'dropped']

/** Where another page led here with one chosen. */
function Only({ name, label }: { readonly name: 'offer' | 'customer'; readonly label: string }) {
  const [filters, set] = useFilters([name])
  if (filters[name] === '') return null
  return (
    <Button icon={<Icon name="close" className="size-4" />} onClick={() => set({ [name]: '' })}>
      {label}
    </Button>
  )
}

const shownStatuses: readonly TransactionStatus[] = [
  'Successful',
  'Processing',
  'Authorized',
  'Further Action Required',
  'Failed',
  'Partially Refunded',
  'Refunded',
  'Voided',
]

/** Several at once. */
function StatusFilter() {
  const say = useWords(words)
  const { transaction } = useWords(states)
  const id = useId()
  const [filters, set] = useFilters(['status'])
  const chosen = shownStatuses.filter(status => filters.status.split(',').includes(status))
  const [first] = chosen
  const shown =
    first === undefined ? say.anyStatus : chosen.length === 1 ? transaction[first] : say.chosen(chosen.length)
  const turn = (status: TransactionStatus) => {
    const next = chosen.includes(status) ? chosen.filter(each => each !== status) : [...chosen, status]
    set({ status: next.join(',') })
  }
  return (
    <div className="w-full sm:w-auto">
      <span id={id} className="mb-1 block font-medium">
        {say.status}
      </span>
      <Menu
        label={`${say.status}: ${shown}`}
        button={
          <>
            {shown}
            <Icon name="down" className="size-4" />
          </>
        }
        buttonClassName="flex h-9 w-full items-center justify-between gap-2 rounded-md border border-edge bg-surface px-2.5 sm:w-auto"
      >
        <div className="space-y-2 p-2.5">
          {shownStatuses.map(status => (
            <Checkbox
              key={status}
              label={transaction[status]}
              checked={chosen.includes(status)}
              onChange={() => turn(status)}
            />
          ))}
        </div>
      </Menu>
    </div>
  )
}
