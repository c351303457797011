// How the hooks do, and what was paid and not told.

import { Link } from '@tanstack/react-router'
import type { HomeHooks, HomeUntold } from '../../../../server/src/console/contract/home.ts'
import { useMay } from '../../ask/me.tsx'
import { ButtonLink } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Money } from '../../parts/money.tsx'
import { When } from '../../parts/when.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { words } from './words.ts'

export function HooksCard({ hooks }: { readonly hooks: HomeHooks }) {
  const say = useWords(words).hooks
  const { locale } = useLanguage()
  const number = (count: number) => <span className="tabular-nums">{count.toLocaleString(locale)}</span>
  return (
    <Card
      title={say.title}
      lead={say.lead}
      actions={
        <ButtonLink to="/deliveries" small>
          {say.see}
        </ButtonLink>
      }
    >
      <Facts>
        <Fact name={say.accepted}>{number(hooks.delivered)}</Fact>
        <Fact name={say.failed}>{number(hooks.failed)}</Fact>
        <Fact name={say.waiting}>{number(hooks.waiting)}</Fact>
        {hooks.oldest_waiting_at !== null && (
          <Fact name={say.oldest}>
            <When at={hooks.oldest_waiting_at} relative />
          </Fact>
        )}
        <Fact name={say.endpoints}>
          {say.enabled(hooks.endpoints_enabled)}
          {hooks.endpoints_paused > 0 && `, ${say.paused(hooks.endpoints_paused)}`}
        </Fact>
      </Facts>
    </Card>
  )
}

interface UntoldProps {
  readonly untold: HomeUntold
  readonly hooks: HomeHooks
}

export function UntoldCard({ untold, hooks }: UntoldProps) {
  const say = useWords(words).untold
  if (untold.count === 0) {
    const hasEndpoint = hooks.endpoints_enabled + hooks.endpoints_paused > 0
    return <Card title={say.title}>{hasEndpoint ? <AllTold /> : <NobodyTold />}</Card>
  }
  return (
    <Card
      title={say.title}
      actions={
        <ButtonLink to="/transactions" search={{ needs: 'untold' } as never} small>
          {say.all}
        </ButtonLink>
      }
    >
      <p className="text-xl font-semibold tracking-tight">
        {untold.amounts.map(({ currency, amount }) => (
          <span key={currency} className="mr-3">
            <Money amount={amount} currency={currency} />
          </span>
        ))}
        <span className="text-sm font-normal text-soft">{say.sum(untold.count, untold.and_more)}</span>
      </p>
      <p className="mt-1 max-w-prose text-soft">{say.says}</p>
      <h3 className="mt-4 mb-1 text-xs font-medium text-soft">{say.first}</h3>
      <ul className="divide-y divide-line">
        {untold.transactions.map(({ id, created_at, currency, amount }) => (
          <li key={id} className="flex items-baseline justify-between gap-4 py-1.5">
            <Link to="/transactions/$id" params={{ id }} className="font-medium text-accent hover:underline">
              <Money amount={amount} currency={currency} />
            </Link>
            <When at={created_at} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function AllTold() {
  const say = useWords(words).untold
  return (
    <p className="flex items-center gap-2.5">
      <Icon name="check" className="text-good" />
      {say.none}
    </p>
  )
}

function NobodyTold() {
  const say = useWords(words).untold
  const mayAdd = useMay('developer')
  return (
    <>
      <p>{say.noEndpoint}</p>
      {mayAdd && (
        <p className="mt-3">
          <ButtonLink to="/api-settings" small>
            {say.addEndpoint}
          </ButtonLink>
        </p>
      )}
    </>
  )
}
