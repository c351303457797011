// The story of a transaction, oldest first.

import type { ReactNode } from 'react'
import type { Moment } from '../../../../server/src/console/contract/transactions.ts'
import type { Tone } from '../../parts/badge.tsx'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { When } from '../../parts/when.tsx'
import { MomentSays } from './moment.tsx'

export function Timeline({ moments, currency }: { readonly moments: readonly Moment[]; readonly currency: string }) {
  const isHold = moments.some(moment => moment.kind === 'created' && moment.authorization_only)
  return (
    <ol className="space-y-0">
      {moments.map((moment, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a story grows at its end
        <Entry key={index} moment={moment} isLast={index === moments.length - 1}>
          <MomentSays moment={moment} currency={currency} isHold={isHold} />
        </Entry>
      ))}
    </ol>
  )
}

const colours: { readonly [tone in Tone]: string } = {
  good: 'bg-good-wash text-good',
  bad: 'bg-bad-wash text-bad',
  waits: 'bg-waits-wash text-waits',
  note: 'bg-note-wash text-note',
  plain: 'bg-hover text-soft',
}

interface EntryProps {
  readonly moment: Moment
  readonly isLast: boolean
  readonly children: ReactNode
}

function Entry({ moment, isLast, children }: EntryProps) {
  const { tone, icon } = looksOf(moment)
  return (
    <li className="relative flex gap-3 pb-5 last:pb-0">
      {!isLast && <span aria-hidden="true" className="absolute top-7 bottom-0 left-3.5 w-px bg-line" />}
      <span className={`z-[1] grid size-7 shrink-0 place-items-center rounded-full ${colours[tone]}`}>
        <Icon name={icon} className="size-4" />
      </span>
      <div className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-4 pt-0.5">
        <div className="min-w-0 flex-1 basis-56 break-words">{children}</div>
        <span className="text-[0.8125rem] text-soft">
          <When at={moment.at} />
        </span>
      </div>
    </li>
  )
}

function looksOf(moment: Moment): { readonly tone: Tone; readonly icon: IconName } {
  switch (moment.kind) {
    case 'letter':
    case 'mail':
      return { tone: moment.kind === 'mail' && moment.state === 'dropped' ? 'bad' : 'plain', icon: 'letter' }
    case 'created':
      return { tone: 'plain', icon: 'plus' }
    case 'pre_sale':
      return preSaleLooks[moment.state]
    case 'operation_begun':
      return { tone: moment.open === null ? 'plain' : 'waits', icon: 'gateway' }
    case 'asked_again':
      return { tone: 'waits', icon: 'doubt' }
    case 'resolved':
      return { tone: 'note', icon: 'team' }
    case 'operation_ended':
      return moment.outcome === 'succeeded' ? { tone: 'good', icon: 'check' } : { tone: 'bad', icon: 'cross' }
    case 'status':
      return { tone: moment.to === 'Failed' ? 'bad' : moment.to === 'Successful' ? 'good' : 'note', icon: 'money' }
    case 'notification':
      return { tone: toneOfTold(moment.deliveries.map(({ state }) => state)), icon: 'deliveries' }
    case 'dispute':
      return { tone: moment.status === 'won' ? 'good' : 'bad', icon: 'warn' }
    case 'expires':
      return { tone: 'waits', icon: 'wait' }
  }
}

const preSaleLooks = {
  pending: { tone: 'waits', icon: 'wait' },
  let_through: { tone: 'good', icon: 'check' },
  stopped: { tone: 'bad', icon: 'cross' },
  no_answer: { tone: 'bad', icon: 'warn' },
} as const

function toneOfTold(states: readonly string[]): Tone {
  if (states.includes('dropped')) return 'bad'
  if (states.includes('pending')) return 'waits'
  return states.includes('delivered') ? 'good' : 'plain'
}
