import type { Told, TransactionRow } from '../../../../server/src/console/contract/transactions.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Money, useShownMoney } from '../../parts/money.tsx'
import { TransactionBadge } from '../../parts/state-badges.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { When } from '../../parts/when.tsx'
import { useWords } from '../../words/language.tsx'
import { states } from '../../words/states.ts'
import { cardName } from './card-name.ts'
import { words } from './words.ts'

interface TransactionTableProps {
  readonly rows: readonly TransactionRow[]
  readonly isOld?: boolean
  /** On the page of a customer they are all of the same. */
  readonly hideCustomer?: boolean
}

export function TransactionTable({ rows, isOld = false, hideCustomer = false }: TransactionTableProps) {
  const say = useWords(words)
  const sayStates = useWords(states)
  const money = useShownMoney()
  const columns: Column<TransactionRow>[] = [
    { name: say.amount, cell: row => <Amount row={row} /> },
    { name: say.status, cell: row => <TransactionBadge status={row.status} inDoubt={row.in_doubt} /> },
    hideCustomer
      ? { name: say.offer, cell: row => <span title={row.offer.title}>{row.offer.title}</span>, grows: true }
      : { name: say.customer, cell: row => <Buyer row={row} />, grows: true },
    { name: say.card, cell: row => (row.card === null ? say.noCard : cardName(row.card)), wideOnly: true },
    { name: say.hooks, cell: row => <ToldBadge told={row.told} /> },
    { name: say.created, cell: row => <When at={row.created_at} /> },
  ]
  const nameOf = ({ amount, currency, status, in_doubt, customer, offer }: TransactionRow) =>
    [
      money(amount, currency),
      in_doubt ? sayStates.inDoubt : sayStates.transaction[status],
      customer.email ?? customer.name ?? offer.title,
    ].join(', ')
  return (
    <Table
      caption={say.title}
      columns={columns}
      rows={rows}
      keyOf={row => row.id}
      linkOf={row => ({ to: '/transactions/$id', params: { id: row.id } })}
      nameOf={nameOf}
      isOld={isOld}
    />
  )
}

function Amount({ row }: { readonly row: TransactionRow }) {
  const say = useWords(words)
  const money = useShownMoney()
  const isCapturedInPart = Number(row.captured) > 0 && row.captured !== row.amount
  const isRefundedInPart = row.status === 'Partially Refunded'
  return (
    <>
      <Money amount={isCapturedInPart ? row.captured : row.amount} currency={row.currency} />
      {isCapturedInPart && (
        <span className="block text-xs font-normal text-soft">
          {say.captured(money(row.captured, row.currency), money(row.amount, row.currency))}
        </span>
      )}
      {isRefundedInPart && (
        <span className="block text-xs font-normal text-soft">{say.refunded(money(row.refunded, row.currency))}</span>
      )}
    </>
  )
}

function Buyer({ row: { customer, offer } }: { readonly row: TransactionRow }) {
  const say = useWords(words)
  const shown = customer.email ?? customer.name
  return (
    <>
      <span className="block truncate" title={customer.name ?? undefined}>
        {shown ?? <span className="text-soft">{say.erased}</span>}
      </span>
      <span className="block truncate text-[0.8125rem] text-soft" title={offer.title}>
        {offer.title}
      </span>
    </>
  )
}

const tones: { readonly [told in Told]: Tone } = { none: 'plain', delivered: 'good', pending: 'waits', dropped: 'bad' }

function ToldBadge({ told }: { readonly told: Told }) {
  const say = useWords(words)
  return <Badge tone={tones[told]}>{say.told[told]}</Badge>
}
