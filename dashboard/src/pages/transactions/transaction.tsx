import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { WholeTransaction } from '../../../../server/src/console/contract/transactions.ts'
import { useMay } from '../../ask/me.tsx'
import { type Shown, useAsked } from '../../ask/use-asked.ts'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useShownMoney } from '../../parts/money.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { TransactionBadge } from '../../parts/state-badges.tsx'
import { useWords } from '../../words/language.tsx'
import { type Act, ActDialog } from './act-dialog.tsx'
import { actWords } from './act-words.ts'
import { isInDoubt } from './moment.tsx'
import { storyWords } from './story-words.ts'
import { Timeline } from './timeline.tsx'
import { RawTransaction, TransactionFacts } from './transaction-facts.tsx'

const lookEveryMs = 5_000

export function TransactionPage() {
  const say = useWords(actWords)
  const { id } = useParams({ strict: false }) as { id: string }
  const shown = useAsked<WholeTransaction>(`transactions/${id}`, { everyMs: lookEveryMs })
  return (
    <>
      <Head shown={shown} />
      <Loaded shown={shown}>
        {whole => (
          <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
            <Story whole={whole} />
            <Card title={say.facts}>
              <TransactionFacts whole={whole} />
              <RawTransaction whole={whole} />
            </Card>
          </div>
        )}
      </Loaded>
    </>
  )
}

function Story({ whole }: { readonly whole: WholeTransaction }) {
  const say = useWords(storyWords)
  return (
    <Card title={say.title}>
      <Timeline moments={whole.timeline} currency={whole.currency} />
    </Card>
  )
}

function Head({ shown }: { readonly shown: Shown<WholeTransaction> }) {
  const say = useWords(actWords)
  const money = useShownMoney()
  const back = { to: '/transactions', label: say.back } as const
  if (shown.state !== 'there') return <PageHead title={say.title} back={back} />
  const { transaction, currency } = shown.body
  const captured = transaction.captured_amount ?? transaction.amount
  const asked = money(transaction.amount, currency)
  return (
    <PageHead
      title={captured === transaction.amount ? say.of(asked) : say.ofPart(money(captured, currency), asked)}
      beside={<TransactionBadge status={transaction.status} inDoubt={transaction.in_doubt === true} />}
      lead={[transaction.offer.item_name, transaction.customer.email].filter(Boolean).join(' · ')}
      actions={<Actions whole={shown.body} />}
      back={back}
    />
  )
}

const acts: readonly Act[] = ['capture', 'void', 'refund']

/** Exactly what the service would do now. */
function Actions({ whole }: { readonly whole: WholeTransaction }) {
  const say = useWords(actWords)
  const mayAct = useMay('developer')
  const [asking, setAsking] = useState<{ readonly act: Act; readonly most: string } | null>(null)
  const { transaction, possible, currency } = whole
  const { card_type: type, card_mask: mask } = transaction.customer
  const offered = acts.flatMap(act => {
    const most = possible[act]
    return most === null ? [] : [{ act, most }]
  })
  const doubt = <ToDoubt whole={whole} />
  if (!mayAct && offered.length > 0) {
    return (
      <>
        <p className="text-soft">{say.viewerOnly}</p>
        {doubt}
      </>
    )
  }
  return (
    <>
      {doubt}
      {offered.map(({ act, most }) => (
        <Button key={act} kind={act === 'capture' ? 'primary' : 'plain'} onClick={() => setAsking({ act, most })}>
          {say.acts[act].button}
        </Button>
      ))}
      {asking !== null && type !== '' && (
        <ActDialog
          {...asking}
          id={transaction.id}
          currency={currency}
          card={{ type, mask }}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  )
}

/** Where what no proof has settled is settled. */
function ToDoubt({ whole }: { readonly whole: WholeTransaction }) {
  const say = useWords(actWords)
  const maySettle = useMay('owner')
  const [id] = whole.timeline.flatMap(moment =>
    moment.kind === 'operation_begun' && isInDoubt(moment) ? [moment.operation] : [],
  )
  if (id === undefined) return null
  return (
    <ButtonLink kind="primary" to="/doubt/$id" params={{ id }}>
      {maySettle ? say.settle : say.seeDoubt}
    </ButtonLink>
  )
}
