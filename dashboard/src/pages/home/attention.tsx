// What needs a person, worst first; one calm sentence when nothing does.

import type { LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { HomeAttention } from '../../../../server/src/console/contract/home.ts'
import { ButtonLink } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { Icon } from '../../parts/icon.tsx'
import { When } from '../../parts/when.tsx'
import { useWords } from '../../words/language.tsx'
import { words } from './words.ts'

export function AttentionCard({ attention }: { readonly attention: HomeAttention }) {
  const say = useWords(words).attention
  const { in_doubt, paused, dropped, disputes, count_max } = attention
  const isCalm = in_doubt.count + paused.length + dropped.count + disputes.count === 0
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
        {paused.map(({ id, url, because }) => (
          <Item key={id} title={say.paused} link={{ to: '/api-settings' }} action={say.endpoints}>
            <span className="break-all">{url}</span>
            <br />
            {because === 'failing' ? say.pausedFailing : say.pausedAsked}
          </Item>
        ))}
        {dropped.count > 0 && (
          <Item
            title={say.dropped(dropped.count, dropped.count === count_max)}
            link={{ to: '/deliveries', search: { state: 'dropped' } as never }}
            action={say.deliveries}
          >
            {say.droppedSays}
          </Item>
        )}
        {disputes.count > 0 && (
          <Item title={say.disputes(disputes.count)} link={{ to: '/transactions' }} action={say.transactions}>
            {say.disputesSays}
          </Item>
        )}
      </ul>
    </Card>
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
        <p className="text-soft">{children}</p>
      </div>
      <ButtonLink {...(link as LinkProps)} small>
        {action}
      </ButtonLink>
    </li>
  )
}
