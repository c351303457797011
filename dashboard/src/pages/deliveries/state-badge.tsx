import type { DeliveryRecord } from '../../../../server/src/console/contract/records.ts'
import { Badge } from '../../parts/badge.tsx'
import { DeliveryBadge } from '../../parts/state-badges.tsx'
import { useWords } from '../../words/language.tsx'
import { words } from './words.ts'

/** Pre-Sale is a question: where the answer was no, nothing was dropped. */
export function StateBadge({
  delivery: { kind, state },
}: {
  readonly delivery: Pick<DeliveryRecord, 'kind' | 'state'>
}) {
  const say = useWords(words)
  if (kind === 'pre_sale' && state === 'dropped') return <Badge tone="bad">{say.saidNo}</Badge>
  return <DeliveryBadge state={state} />
}
