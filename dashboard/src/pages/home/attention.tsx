// What needs a person, worst first; one calm sentence when nothing does.

import type { LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { HomeAttention, HomeUntold } from '../../../../server/src/console/contract/home.ts'
import { useMay } from '../../ask/me.tsx'
import { ButtonLink } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Money } from '../../parts/money.tsx'
import { When } from '../../parts/when.tsx'
import { useWords } from '../../words/language.tsx'
import { words } from './words.ts'

interface AttentionProps {
  readonly attention: HomeAttention
  readonly untold: HomeUntold
}

export function AttentionCard({ attention, untold }: AttentionProps) {
  const say = useWords(words).attention
  const { in_doubt, paused, dropped, disputes, count_max } = attention
  const mayResend = useMay('developer')
  const isUntold = untold.count > 0 && untold.cause !== 'waiting'
  const isCalm = !isUntold && in_doubt.count + paused.length + dropped.count + disputes.count === 0
  if (isCalm) {
    return (
      <Card>
        <p className="flex items-center gap-2.5">
          <Icon name="check" className="text-good" />
          {say.calm}
        </p>
      </Card>
    )
  }
  return (
    <Card title={say.title} flush>
      <ul className="divide-y divide-line border-t border-line">
        {in_doubt.count > 0 && (
          <Item title={say.doubt(in_doubt.count)} link={{ to: '/doubt' }} action={say.settle}>
            {say.doubtSays} {in_doubt.for_person > 0 && `${say.forPerson(in_doubt.for_person)}. `}
            {in_doubt.oldest_at !== null && (
              <>
                {say.oldest} <When at={in_doubt.oldest_at} relative />
              </>
            )}
          </Item>
        )}
        {isUntold && <UntoldItem untold={untold} />}
        {paused.length > 0 && <PausedItem paused={paused} />}
        {dropped.count > 0 && (
          <Item
            title={say.dropped(dropped.count, dropped.count === count_max)}
            link={{ to: '/deliveries', search: { state: 'to_resend' } as never }}
            action={mayResend ? say.deliveries : say.see}
          >
            {say.droppedSays}
          </Item>
        )}
        {disputes.count > 0 && (
          <Item
            title={say.disputes(disputes.count)}
            link={{ to: '/transactions', search: { needs: 'disputed' } as never }}
            action={say.transactions}
          >
            {say.disputesSays}
          </Item>
        )}
      </ul>
    </Card>
  )
}

function UntoldItem({ untold }: { readonly untold: HomeUntold }) {
  const say = useWords(words).attention
  const sentences = {
    paused: say.untoldPaused,
    dropped: say.untoldDropped,
    failing: say.untoldFailing,
    waiting: '',
  }
  return (
    <Item
      title={say.untold(untold.count, untold.and_more)}
      link={{ to: '/transactions', search: { needs: 'untold' } as never }}
      action={say.untoldSee}
    >
      {untold.amounts.map(({ currency, amount }) => (
        <span key={currency} className="mr-2 font-medium text-ink">
          <Money amount={amount} currency={currency} />
        </span>
      ))}
      {sentences[untold.cause]}
    </Item>
  )
}

const pausedShownMax = 3

function PausedItem({ paused }: Pick<HomeAttention, 'paused'>) {
  const say = useWords(words).attention
  const [only, ...others] = paused
  const because = only?.because === 'failing' ? say.pausedFailing : say.pausedAsked
  const rest = paused.length - pausedShownMax
  return (
    <Item title={say.paused(paused.length)} link={{ to: '/api-settings' }} action={say.endpoints}>
      {paused.slice(0, pausedShownMax).map(({ id, url }) => (
        <span key={id} className="block break-all">
          {url}
        </span>
      ))}
      {rest > 0 && <span className="block">{say.andMore(rest)}</span>}
      {others.length === 0 ? because : say.pausedMany}
    </Item>
  )
}

interface ItemProps {
  readonly title: string
  readonly link: Pick<LinkProps, 'to' | 'search'>
  readonly action: string
  readonly children: ReactNode
}

function Item({ title, link, action, children }: ItemProps) {
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 px-5 py-3.5">
      <Icon name="warn" className="mt-0.5 text-waits" />
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-medium">{title}</p>
        <div className="text-soft">{children}</div>
      </div>
      <ButtonLink {...(link as LinkProps)} small>
        {action}
      </ButtonLink>
    </li>
  )
}
