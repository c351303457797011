// Who was told of it, and how that went.

import { Link } from '@tanstack/react-router'
import type { Notified, ToldDeliveryRecord } from '../../../../server/src/console/contract/transactions.ts'
import { ServiceSays } from '../../parts/service-says.tsx'
import { DeliveryBadge } from '../../parts/state-badges.tsx'
import { When } from '../../parts/when.tsx'
import { useWords } from '../../words/language.tsx'
import { states } from '../../words/states.ts'
import { inMs, Line, Said } from './said.tsx'
import { storyWords } from './story-words.ts'

export function Told({ moment }: { readonly moment: Notified }) {
  const say = useWords(storyWords)
  const { hook } = useWords(states)
  return (
    <Said title={say.notified(hook[moment.notification])}>
      {moment.deliveries.length === 0 ? say.nobodyToTell : <Deliveries deliveries={moment.deliveries} />}
    </Said>
  )
}

/** More than these are one line, until somebody wants to see them. */
const shownMax = 4

function Deliveries({ deliveries }: { readonly deliveries: readonly ToldDeliveryRecord[] }) {
  const list = (
    <ul className="mt-1 space-y-1.5">
      {deliveries.map(delivery => (
        <li key={delivery.id}>
          <Delivery delivery={delivery} />
        </li>
      ))}
    </ul>
  )
  if (deliveries.length <= shownMax) return list
  const known = [...new Set(deliveries.map(({ state }) => state))]
  return (
    <details>
      <summary className="cursor-pointer">
        {known.map(state => (
          <span key={state} className="mr-3">
            {deliveries.filter(delivery => delivery.state === state).length} <DeliveryBadge state={state} />
          </span>
        ))}
      </summary>
      {list}
    </details>
  )
}

function Delivery({ delivery }: { readonly delivery: ToldDeliveryRecord }) {
  const say = useWords(storyWords)
  return (
    <>
      <DeliveryBadge state={delivery.state} />{' '}
      <Link to="/deliveries/$id" params={{ id: delivery.id }} className="break-all underline">
        {delivery.url}
      </Link>
      {delivery.next_attempt_at !== null && (
        <Line>
          {say.nextAttempt} <When at={delivery.next_attempt_at} relative />
        </Line>
      )}
      {delivery.attempts > 0 && (
        <details>
          <summary className="cursor-pointer">{say.attempts(delivery.attempts)}</summary>
          <ol className="mt-1 space-y-0.5 border-l border-line pl-3">
            {delivery.made.map(made => (
              <li key={made.number}>
                {made.number}. <When at={made.at} /> ·{' '}
                {[made.status, inMs(made.duration_ms), made.resend ? say.resend : null]
                  .filter(part => part !== null)
                  .join(' · ')}
                {made.reason !== null && (
                  <>
                    {' · '}
                    <ServiceSays sentence={made.reason} />
                  </>
                )}
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  )
}
