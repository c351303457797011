import type { Home, HomeRange } from '../../../../server/src/console/contract/home.ts'
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
  const shown = useAsked<{ home: Home }>('home', { query: { range, time_zone: timeZone }, everyMs })
  const currencies = shown.state === 'there' ? shown.body.home.currencies : []
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
      <Loaded shown={shown} waiting={<Waiting />}>
        {({ home }, { isOld }) => (
          <div className={`space-y-6 transition-opacity ${isOld ? 'opacity-60' : ''}`}>
            <FirstSteps steps={home.steps} />
            <AttentionCard attention={home.attention} />
            {chosen !== undefined && <Figures home={home} figures={chosen} />}
            <div className="grid gap-6 lg:grid-cols-2">
              <HooksCard hooks={home.hooks} />
              <UntoldCard untold={home.untold} hooks={home.hooks} />
            </div>
          </div>
        )}
      </Loaded>
    </>
  )
}

function Waiting() {
  return (
    <div className="space-y-6">
      <Skeleton className="h-24 w-full" />
      <Skeleton className="h-80 w-full" />
      <Skeleton className="h-48 w-full" />
    </div>
  )
}
