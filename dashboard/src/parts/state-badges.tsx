import type { DeliveryState, TransactionStatus } from '../../../server/src/console/contract/records.ts'
import { useWords } from '../words/language.tsx'
import { states } from '../words/states.ts'
import { Badge, type Tone } from './badge.tsx'

const transactionTones: { readonly [status in TransactionStatus]: Tone } = {
  Processing: 'waits',
  Successful: 'good',
  Authorized: 'note',
  Failed: 'bad',
  'Further Action Required': 'waits',
  Voided: 'plain',
  'Partially Refunded': 'note',
  Refunded: 'plain',
}

export function TransactionBadge({
  status,
  inDoubt,
}: {
  readonly status: TransactionStatus
  readonly inDoubt?: boolean
}) {
  const say = useWords(states)
  if (inDoubt === true) return <Badge tone="waits">{say.inDoubt}</Badge>
  return <Badge tone={transactionTones[status]}>{say.transaction[status]}</Badge>
}

const deliveryTones: { readonly [state in DeliveryState]: Tone } = {
  pending: 'waits',
  delivered: 'good',
  dropped: 'bad',
  canceled: 'plain',
}

export function DeliveryBadge({ state }: { readonly state: DeliveryState }) {
  const say = useWords(states)
  return <Badge tone={deliveryTones[state]}>{say.delivery[state]}</Badge>
}
