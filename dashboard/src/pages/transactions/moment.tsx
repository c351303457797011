// One moment of a transaction's story, in words.

import { Link } from '@tanstack/react-router'
import type { Moment, OperationBegun, OperationKind } from '../../../../server/src/console/contract/transactions.ts'
import { useShownMoney } from '../../parts/money.tsx'
import { ServiceSays } from '../../parts/service-says.tsx'
import { When } from '../../parts/when.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { refusalIn } from '../../words/refusals.ts'
import { states } from '../../words/states.ts'
import { GatewayName } from './gateway-name.tsx'
import { inMs, Line, Said } from './said.tsx'
import { type ShownOperation, storyWords } from './story-words.ts'
import { Told } from './told.tsx'

interface MomentProps {
  readonly moment: Moment
  readonly currency: string
  /** Its charge only holds the amount. */
  readonly isHold: boolean
}

export function MomentSays({ moment, currency, isHold }: MomentProps) {
  const say = useWords(storyWords)
  const { transaction } = useWords(states)
  const money = useShownMoney()
  switch (moment.kind) {
    case 'letter':
      return (
        <Said title={say.letter(moment.from)}>
          {moment.proven ? say.proven : say.notProven}{' '}
          <Link to="/letters/$id" params={{ id: moment.letter }} className="underline">
            {say.readLetter}
          </Link>
        </Said>
      )
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
      return <Begun moment={moment} currency={currency} isHold={isHold} />
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
        <Said title={say.ended[moment.outcome][shownAs(moment.what, isHold)]}>
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

function Quoted({ children }: { readonly children: string }) {
  return <p className="mt-1 rounded bg-sunken px-2 py-1 font-mono break-all">{children}</p>
}

function shownAs(what: OperationKind, isHold: boolean): ShownOperation {
  return what === 'charge' && isHold ? 'hold' : what
}

/** Nobody knows yet what the gateway did, or only a person can say. */
export function isInDoubt({ open }: OperationBegun): boolean {
  return open !== null && (open.outcome === 'unknown' || open.for_person !== null)
}

interface BegunProps {
  readonly moment: OperationBegun
  readonly currency: string
  readonly isHold: boolean
}

function Begun({ moment, currency, isHold }: BegunProps) {
  const say = useWords(storyWords)
  const { language } = useLanguage()
  const money = useShownMoney()
  const { open } = moment
  return (
    <Said title={say.begun[shownAs(moment.what, isHold)](money(moment.amount, currency))}>
      {moment.by !== null && <Line>{say.byWhom(moment.by)}</Line>}
      {moment.reason !== null && <Line>{say.because(moment.reason)}</Line>}
      <Line>
        <GatewayName id={moment.gateway} />
      </Line>
      {open !== null && (
        <div className="text-waits">
          {open.for_person === null && (open.outcome === 'pending' ? say.pending : say.inDoubt)}
          {open.for_person !== null
            ? [open.for_person, ...open.more_for_person].map(sentence => (
                <Line key={sentence}>
                  {say.forPerson} <ServiceSays sentence={sentence} />
                </Line>
              ))
            : open.heard !== null && <Line>{say.heard(refusalIn(language, 'general', open.heard).text)}</Line>}
          {isInDoubt(moment) && (
            <Link to="/doubt/$id" params={{ id: moment.operation }} className="underline">
              {say.settle}
            </Link>
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
