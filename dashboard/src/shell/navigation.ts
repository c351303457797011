// What the sidebar lists, in its order.

import type { LinkProps } from '@tanstack/react-router'
import type { Me } from '../../../server/src/console/contract/me.ts'
import type { IconName } from '../parts/icon.tsx'
import type { words } from './words.ts'

type Shown = (typeof words)['en']

export interface Place {
  readonly to: NonNullable<LinkProps['to']>
  readonly name: keyof Shown['pages']
  readonly icon: IconName
}

export interface Group {
  readonly name: keyof Shown['groups'] | null
  readonly places: readonly Place[]
}

const groups: readonly Group[] = [
  { name: null, places: [{ to: '/', name: 'home', icon: 'home' }] },
  {
    name: 'money',
    places: [
      { to: '/transactions', name: 'transactions', icon: 'money' },
      { to: '/customers', name: 'customers', icon: 'people' },
      { to: '/doubt', name: 'doubt', icon: 'doubt' },
      { to: '/letters', name: 'letters', icon: 'letter' },
    ],
  },
  {
    name: 'hooks',
    places: [
      { to: '/deliveries', name: 'deliveries', icon: 'deliveries' },
      { to: '/api-settings', name: 'apiSettings', icon: 'code' },
    ],
  },
  {
    name: 'selling',
    places: [
      { to: '/offers', name: 'offers', icon: 'offer' },
      { to: '/branding', name: 'branding', icon: 'brush' },
    ],
  },
  {
    name: 'settings',
    places: [
      { to: '/gateways', name: 'gateways', icon: 'gateway' },
      { to: '/mail-settings', name: 'mailSettings', icon: 'letter' },
      { to: '/team', name: 'team', icon: 'team' },
      { to: '/alerts', name: 'alerts', icon: 'bell' },
      { to: '/changes', name: 'changes', icon: 'log' },
    ],
  },
]

const sandbox: Group = { name: null, places: [{ to: '/sandbox', name: 'sandbox', icon: 'sandbox' }] }

export function groupsFor({ mode }: Pick<Me, 'mode'>): readonly Group[] {
  return mode === 'sandbox' ? [...groups, sandbox] : groups
}
