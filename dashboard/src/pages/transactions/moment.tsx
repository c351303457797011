// One moment of a transaction's story, in words.

import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type {
  Moment,
  Notified,
  OperationBegun,
  ToldDeliveryRecord,
} from '../../../../server/src/console/contract/transactions.ts'
import { useShownMoney } from '../../parts/money.tsx'
import { ServiceSays } from '../../parts/service-says.tsx'
import { DeliveryBadge } from '../../parts/state-badges.tsx'
import { When } from '../../parts/when.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { refusalIn } from '../../words/refusals.ts'
import { states } from '../../words/states.ts'
import { storyWords } from './story-words.ts'

interface MomentProps {
  readonly moment: Moment
  readonly currency: string
}

export function MomentSays({ moment, currency }: MomentProps) {
  const say = useWords(storyWords)
  const { transaction } = useWords(states)
  const money = useShownMoney()
  switch (moment.kind) {
    case 'letter':
      return <Said title={say.letter(moment.from)}>{moment.proven ? say.proven : say.notProven}</Said>
    case 'created':
      return (
        <Said title={say.created[moment.way]}>
          {[money(moment.amount, currency), moment.quantity > 1 && say.units(moment.quantity)]
            .filter(Boolean)
            .join(', ')}
          {moment.authorization_only && <Line>{say.authorizeOnly}</Line>}
        </Said>
      )
    case 'pre_sale':
      return (
        <Said title={say.preSale[moment.state]}>
          <Link to="/deliveries/$id" params={{ id: moment.delivery }} className="break-all underline">
            {moment.url}
          </Link>
          <Line>{[moment.status, inMs(moment.duration_ms)].filter(part => part !== null).join(' · ')}</Line>
          {moment.reason !== null && (
            <Line>
              <ServiceSays sentence={moment.reason} />
            </Line>
          )}
          {moment.response !== null && moment.response !== '' && <Quoted>{moment.response}</Quoted>}
        </Said>
      )
    case 'operation_begun':
      return <Begun moment={moment} currency={currency} />
    case 'asked_again':
      return (
        <Said title={say.askedAgain[moment.step]}>
          {moment.heard.map(line => (
            <Line key={line}>
              <ServiceSays sentence={line} />
            </Line>
          ))}
        </Said>
      )
    case 'resolved':
      return <Said title={say.resolved[moment.verdict](moment.by)}>{moment.note}</Said>
    case 'operation_ended':
      return (
        <Said title={say.ended[moment.outcome][moment.what]}>
          {moment.code !== null && <code className="font-mono">{moment.code}</code>}
          {moment.gateway_ref !== null && <Line>{say.reference(moment.gateway_ref)}</Line>}
        </Said>
      )
    case 'status':
      return (
        <Said title={say.status(transaction[moment.from], transaction[moment.to])}>
          {moment.sentence !== null && <ServiceSays sentence={moment.sentence} />}
          {moment.error_code !== null && (
            <Line>
              <code className="font-mono">{moment.error_code}</code>
            </Line>
          )}
        </Said>
      )
    case 'notification':
      return <Told moment={moment} />
    case 'mail':
      return (
        <Said title={say.mailed[moment.mail]}>
          {say.mailState[moment.state]}
          {moment.cause !== null && (
            <Line>
              <ServiceSays sentence={moment.cause} />
            </Line>
          )}
        </Said>
      )
    case 'dispute':
      return <Said title={say.dispute[moment.status](money(moment.amount, currency))}>{moment.reason}</Said>
    case 'expires':
      return <Said title={say.expires} />
  }
}

function Said({ title, children }: { readonly title: ReactNode; readonly children?: ReactNode }) {
  return (
    <>
      <p className="font-medium">{title}</p>
      <div className="text-[0.8125rem] text-soft">{children}</div>
    </>
  )
}

function Line({ children }: { readonly children: ReactNode }) {
  return <div>{children}</div>
}

function Quoted({ children }: { readonly children: string }) {
  return <p className="mt-1 rounded bg-sunken px-2 py-1 font-mono break-all">{children}</p>
}

function inMs(durationMs: number | null): string | null {
  return durationMs === null ? null : `${durationMs} ms`
}

function Begun({ moment, currency }: { readonly moment: OperationBegun; readonly currency: string }) {
  const say = useWords(storyWords)
  const { language } = useLanguage()
  const money = useShownMoney()
  const { open } = moment
  return (
    <Said title={say.begun[moment.what](money(moment.amount, currency))}>
      {moment.by !== null && <Line>{say.byWhom(moment.by)}</Line>}
      {moment.reason !== null && <Line>{say.because(moment.reason)}</Line>}
      <Line>{moment.gateway}</Line>
      {open !== null && (
        <div className="text-waits">
          {open.outcome === 'pending' ? say.pending : say.inDoubt}
          {open.for_person !== null ? (
            <Line>
              {say.forPerson} <ServiceSays sentence={open.for_person} />
            </Line>
          ) : (
            open.heard !== null && <Line>{say.heard(refusalIn(language, 'general', open.heard).text)}</Line>
          )}
          {open.outcome === 'unknown' && open.next_ask_at !== null && (
            <Line>
              {say.nextAsk} <When at={open.next_ask_at} relative />
            </Line>
          )}
        </div>
      )}
    </Said>
  )
}

function Told({ moment }: { readonly moment: Notified }) {
  const say = useWords(storyWords)
  const { hook } = useWords(states)
  return (
    <Said title={say.notified(hook[moment.notification])}>
      {moment.deliveries.length === 0 ? (
        say.nobodyToTell
      ) : (
        <ul className="mt-1 space-y-1.5">
          {moment.deliveries.map(delivery => (
            <li key={delivery.id}>
              <Delivery delivery={delivery} />
            </li>
          ))}
        </ul>
      )}
    </Said>
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
                {[made.status, inMs(made.duration_ms), made.reason, made.resend ? say.resend : null]
                  .filter(part => part !== null)
                  .join(' · ')}
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  )
}
