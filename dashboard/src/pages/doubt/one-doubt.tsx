import { Link, useParams } from '@tanstack/react-router'
import type { WholeDoubtRecord } from '../../../../server/src/console/contract/doubt.ts'
import { useMay } from '../../ask/me.tsx'
import { useAsked } from '../../ask/use-asked.ts'
import { Card } from '../../parts/card.tsx'
import { CodeLine } from '../../parts/code-block.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Notice } from '../../parts/failure.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useShownMoney } from '../../parts/money.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { ServiceSays } from '../../parts/service-says.tsx'
import { When } from '../../parts/when.tsx'
import { useWords } from '../../words/language.tsx'
import { Asks, Decisions } from './asks.tsx'
import { DoubtBadge } from './doubt-badge.tsx'
import { LookFor } from './look-for.tsx'
import { Sentences, sentencesOf } from './sentences.tsx'
import { Settle } from './settle.tsx'
import { words } from './words.ts'

const everyMs = 15_000

export function OneDoubtPage() {
  const say = useWords(words)
  const { id } = useParams({ strict: false }) as { id: string }
  const shown = useAsked<{ doubt: WholeDoubtRecord }>(`doubt/${id}`, { everyMs })
  const back = { to: '/doubt', label: say.title } as const
  if (shown.state !== 'there') {
    return (
      <>
        <PageHead title={say.operation} back={back} />
        <Loaded shown={shown}>{() => null}</Loaded>
      </>
    )
  }
  return <Whole doubt={shown.body.doubt} back={back} />
}

interface WholeProps {
  readonly doubt: WholeDoubtRecord
  readonly back: { readonly to: '/doubt'; readonly label: string }
}

function Whole({ doubt, back }: WholeProps) {
  const say = useWords(words)
  const money = useShownMoney()
  const isOwner = useMay('owner')
  const isOpen = doubt.verdicts.length > 0
  return (
    <>
      <PageHead
        title={say.of(say.kinds[doubt.kind], money(doubt.amount, doubt.currency))}
        beside={<DoubtBadge doubt={doubt} />}
        back={back}
      />
      <div className="space-y-6">
        {doubt.for_person === null && isOpen && <Notice kind="note">{say.mayProveItself}</Notice>}
        {doubt.for_person !== null && (
          <Notice kind="waits">
            <strong className="font-semibold">{say.why}:</strong> <Sentences sentences={sentencesOf(doubt)} />
          </Notice>
        )}
        <Known doubt={doubt} />
        {isOpen && <LookFor doubt={doubt} />}
        {isOpen && (isOwner ? <Settle doubt={doubt} /> : <p className="text-soft">{say.onlyOwner}</p>)}
        <Decisions doubt={doubt} />
        <Asks doubt={doubt} />
      </div>
    </>
  )
}

function Known({ doubt }: { readonly doubt: WholeDoubtRecord }) {
  const say = useWords(words)
  return (
    <Card title={say.known}>
      <Facts>
        <Fact name={say.transaction}>
          <Link
            to="/transactions/$id"
            params={{ id: doubt.transaction }}
            className="text-accent underline-offset-2 hover:underline"
          >
            {say.seeTransaction}
          </Link>
        </Fact>
        <Fact name={say.since}>
          <When at={doubt.since} whole />
        </Fact>
        <Fact name={say.gateway}>
          {doubt.gateway_type} <code className="font-mono text-[0.8125rem] text-soft">{doubt.gateway}</code>
        </Fact>
        {doubt.card_mask !== null && <Fact name={say.card}>{say.cardEnding(doubt.card_mask)}</Fact>}
        {doubt.gateway_ref !== null && (
          <Fact name={say.ref}>
            <CodeLine what={say.ref} text={doubt.gateway_ref} />
          </Fact>
        )}
        {doubt.charge_ref !== null && (
          <Fact name={say.chargeRef}>
            <CodeLine what={say.chargeRef} text={doubt.charge_ref} />
          </Fact>
        )}
        <Fact name={say.sendings}>{say.times(doubt.sendings)}</Fact>
        {doubt.last_heard !== null && (
          <Fact name={say.lastHeard}>
            <ServiceSays sentence={doubt.last_heard} />
          </Fact>
        )}
        {doubt.settled_at === null && (
          <Fact name={say.nextAsk}>
            {doubt.next_ask_at === null ? say.notAsked : <When at={doubt.next_ask_at} relative />}
          </Fact>
        )}
      </Facts>
    </Card>
  )
}
