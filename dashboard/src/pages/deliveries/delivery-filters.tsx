import type { HookEndpointRecord, HookKind } from '../../../../server/src/console/contract/records.ts'
import { FilterDay, FilterSelect, Filters, FilterText } from '../../parts/filters.tsx'
import { useWords } from '../../words/language.tsx'
import { states } from '../../words/states.ts'
import { words } from './words.ts'

export const filterNames = ['state', 'kind', 'endpoint', 'transaction', 'from', 'to'] as const

/** Dropped, and waiting for a person: what the first page counts. */
export const toResend = 'to_resend'

const shownStates = ['pending', 'delivered', 'dropped', 'canceled'] as const
export const shownKinds: readonly HookKind[] = ['pre_sale', 'transaction', 'far', 'error', 'generic', 'update']

export function DeliveryFilters({ endpoints }: { readonly endpoints: readonly HookEndpointRecord[] }) {
  const say = useWords(words)
  const { delivery, hook } = useWords(states)
  const all = (label: string) => ({ value: '', label })
  return (
    <Filters names={filterNames}>
      <FilterSelect
        name="state"
        label={say.state}
        options={[
          all(say.allStates),
          ...shownStates.map(state => ({ value: state, label: delivery[state] })),
          { value: toResend, label: say.toResend },
        ]}
      />
      <FilterSelect
        name="kind"
        label={say.kind}
        options={[all(say.allKinds), ...shownKinds.map(kind => ({ value: kind, label: hook[kind] }))]}
      />
      <FilterSelect
        name="endpoint"
        label={say.endpoint}
        options={[
          all(say.allEndpoints),
          ...endpoints.map(({ id, kind, url }) => ({ value: id, label: `${hook[kind]} · ${shortUrl(url)}` })),
        ]}
      />
      <FilterText name="transaction" label={say.transactionId} />
      <FilterDay name="from" label={say.from} />
      <FilterDay name="to" label={say.to} />
    </Filters>
  )
}

const urlCharsMax = 48

/** A list of choices is as wide as its longest. What tells two apart is mostly at the end. */
export function shortUrl(url: string): string {
  const bare = url.replace(/^https?:\/\//, '')
  if (bare.length <= urlCharsMax) return bare
  return `${bare.slice(0, urlCharsMax / 2)}…${bare.slice(-urlCharsMax / 2)}`
}
