import { Link } from '@tanstack/react-router'
import type { HomeRange } from '../../../../server/src/console/contract/home.ts'
import { useWords } from '../../words/language.tsx'
import { words } from './words.ts'

interface RangeSwitchProps {
  readonly ranges: readonly HomeRange[]
  readonly range: HomeRange
  readonly currency: string
}

/** Links, so that each range has an address. */
export function RangeSwitch({ ranges, range, currency }: RangeSwitchProps) {
  const say = useWords(words)
  return (
    <nav aria-label={say.range} className="flex rounded-md border border-line bg-surface p-0.5 shadow-card">
      {ranges.map(each => (
        <Link
          key={each}
          to="."
          search={{ range: each, currency } as never}
          replace
          resetScroll={false}
          aria-current={each === range ? 'true' : undefined}
          className="rounded px-2.5 py-1 text-[0.8125rem] whitespace-nowrap text-soft hover:text-ink aria-[current=true]:bg-accent-wash aria-[current=true]:font-medium aria-[current=true]:text-accent"
        >
          {say.ranges[each]}
        </Link>
      ))}
    </nav>
  )
}
