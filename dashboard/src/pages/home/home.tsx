import type { Home, HomeRange, HomeSales } from '../../../../server/src/console/contract/home.ts'
import { useAsked } from '../../ask/use-asked.ts'
import { Select } from '../../parts/controls.tsx'
import { Field } from '../../parts/field.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useFilters } from '../../parts/url.ts'
import { useWords } from '../../words/language.tsx'
import { AttentionCard } from './attention.tsx'
import { Figures } from './figures.tsx'
import { FirstSteps } from './first-steps.tsx'
import { HooksCard, UntoldCard } from './hooks.tsx'
import { RangeSwitch } from './range-switch.tsx'
import { words } from './words.ts'

const everyMs = 30_000
const ranges: readonly HomeRange[] = ['24h', '7d', '30d', '90d']

export function HomePage() {
  const say = useWords(words)
  const [filters, set] = useFilters(['range', 'currency'])
  const range = ranges.find(each => each === filters.range) ?? '7d'
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  // Asked apart: what needs somebody does not wait for what was sold to be added up.
  const needs = useAsked<{ home: Home }>('home', { everyMs })
  const sold = useAsked<{ sales: HomeSales }>('home/sales', { query: { range, time_zone: timeZone }, everyMs })
  const currencies = sold.state === 'there' ? sold.body.sales.currencies : []
  const chosen = currencies.find(({ currency }) => currency === filters.currency) ?? currencies[0]
  return (
    <>
      <PageHead
        title={say.title}
        actions={
          <>
            {currencies.length > 1 && (
              <Field label={say.currency} hideLabel>
                <Select value={chosen?.currency} onChange={event => set({ currency: event.currentTarget.value })}>
                  {currencies.map(({ currency }) => (
                    <option key={currency}>{currency}</option>
                  ))}
                </Select>
              </Field>
            )}
            <RangeSwitch ranges={ranges} range={range} currency={filters.currency} />
          </>
        }
      />
      <div className="space-y-6">
        <Loaded shown={needs} waiting={<Skeleton className="h-24 w-full" />}>
          {({ home }) => (
            <>
              <FirstSteps steps={home.steps} />
              <AttentionCard attention={home.attention} untold={home.untold} />
            </>
          )}
        </Loaded>
        <Loaded shown={sold} waiting={<Skeleton className="h-80 w-full" />}>
          {({ sales }, { isOld }) => (
            <div className={`transition-opacity ${isOld ? 'opacity-60' : ''}`}>
              {chosen !== undefined && <Figures sales={sales} figures={chosen} />}
            </div>
          )}
        </Loaded>
        {needs.state === 'there' && (
          <div className="grid gap-6 lg:grid-cols-2">
            <HooksCard hooks={needs.body.home.hooks} />
            <UntoldCard untold={needs.body.home.untold} hooks={needs.body.home.hooks} />
          </div>
        )}
      </div>
    </>
  )
}
