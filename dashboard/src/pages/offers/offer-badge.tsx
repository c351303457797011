import type { OfferState } from '../../../../server/src/console/contract/selling.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { useWords } from '../../words/language.tsx'
import { words } from './words-list.ts'

const tones: { readonly [state in OfferState]: Tone } = {
  active: 'good',
  inactive: 'plain',
  expired: 'plain',
  used_up: 'waits',
}

export function OfferBadge({ state }: { readonly state: OfferState }) {
  const say = useWords(words)
  return <Badge tone={tones[state]}>{say.states[state]}</Badge>
}
