import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { CustomerCard, CustomerLetter } from '../../../../server/src/console/contract/customers.ts'
import { useMay } from '../../ask/me.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { ServiceSays } from '../../parts/service-says.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { When } from '../../parts/when.tsx'
import { useWords } from '../../words/language.tsx'
import { cardName } from '../transactions/card-name.ts'
import { RemoveCardDialog } from './customer-dialogs.tsx'
import { words } from './words.ts'

export function CustomerCards({ cards }: { readonly cards: readonly CustomerCard[] }) {
  const say = useWords(words)
  const mayRemove = useMay('developer')
  const [removing, setRemoving] = useState<CustomerCard | null>(null)
  const columns: Column<CustomerCard>[] = [
    { name: say.card, cell: card => <CardCell card={card} />, grows: true },
    { name: say.expires, cell: card => <Expiry card={card} /> },
    { name: say.stored, cell: card => <When at={card.created_at} />, wideOnly: true },
    ...(mayRemove
      ? [
          {
            name: say.remove,
            hideName: true,
            cell: (card: CustomerCard) => (
              <Button small onClick={() => setRemoving(card)}>
                {say.remove}
              </Button>
            ),
          },
        ]
      : []),
  ]
  return (
    <Card title={say.cards} flush={cards.length > 0}>
      {cards.length === 0 ? (
        <p className="text-soft">
          {say.noCards}. {say.noCardsSays}
        </p>
      ) : (
        <Table caption={say.cards} columns={columns} rows={cards} keyOf={card => card.service_token} />
      )}
      {removing !== null && <RemoveCardDialog card={removing} onClose={() => setRemoving(null)} />}
    </Card>
  )
}

function CardCell({ card }: { readonly card: CustomerCard }) {
  const say = useWords(words)
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      {cardName({ type: card.card_type, mask: card.card_mask })}
      {!card.confirmed && <Badge tone="waits">{say.notConfirmed}</Badge>}
      {card.by_mail && <Badge tone="note">{say.byMail}</Badge>}
    </span>
  )
}

function Expiry({ card }: { readonly card: CustomerCard }) {
  const say = useWords(words)
  const [year, month] = card.expiration_date.split('-')
  if (card.expired) return <Badge tone="bad">{say.expired}</Badge>
  return `${month}/${year}`
}

export function CustomerLetters({ letters }: { readonly letters: readonly CustomerLetter[] }) {
  const say = useWords(words)
  const columns: Column<CustomerLetter>[] = [
    { name: say.received, cell: letter => <When at={letter.received_at} /> },
    {
      name: say.sender,
      cell: letter => (
        <Badge tone={letter.proven ? 'good' : 'waits'}>{letter.proven ? say.proven : say.notProven}</Badge>
      ),
    },
    { name: say.became, cell: letter => <Became letter={letter} />, grows: true },
  ]
  return (
    <Card title={say.letters} flush={letters.length > 0}>
      {letters.length === 0 ? (
        <p className="text-soft">{say.noLetters}</p>
      ) : (
        <Table caption={say.letters} columns={columns} rows={letters} keyOf={letter => letter.id} />
      )}
    </Card>
  )
}

function Became({ letter }: { readonly letter: CustomerLetter }) {
  const say = useWords(words)
  if (letter.transaction === null)
    return letter.closed_because === null ? say.waiting : <ServiceSays sentence={letter.closed_because} />
  return (
    <Link to="/transactions/$id" params={{ id: letter.transaction }} className="underline">
      {say.payment}
    </Link>
  )
}
