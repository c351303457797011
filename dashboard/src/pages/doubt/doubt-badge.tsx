import type { DoubtRecord } from '../../../../server/src/console/contract/doubt.ts'
import { Badge } from '../../parts/badge.tsx'
import { useWords } from '../../words/language.tsx'
import { words } from './words.ts'

export function DoubtBadge({ doubt }: { readonly doubt: DoubtRecord }) {
  const say = useWords(words).states
  if (doubt.for_person !== null) return <Badge tone="bad">{say.person}</Badge>
  if (doubt.outcome === 'unknown' || doubt.outcome === 'pending') return <Badge tone="waits">{say.asking}</Badge>
  if (doubt.outcome === 'succeeded') return <Badge tone="good">{say.succeeded}</Badge>
  return <Badge tone="plain">{say.notMade}</Badge>
}
