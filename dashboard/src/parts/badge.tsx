import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

export type Tone = 'good' | 'bad' | 'waits' | 'note' | 'plain'

const tones: { readonly [tone in Tone]: { readonly colours: string; readonly icon: IconName } } = {
  good: { colours: 'bg-good-wash text-good', icon: 'check' },
  bad: { colours: 'bg-bad-wash text-bad', icon: 'cross' },
  waits: { colours: 'bg-waits-wash text-waits', icon: 'wait' },
  note: { colours: 'bg-note-wash text-note', icon: 'dot' },
  plain: { colours: 'bg-hover text-soft', icon: 'dot' },
}

/** A state. Its words and its icon say it as well: never the colour alone. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  const { colours, icon } = tones[tone]
  return (
    <span
      className={`inline-flex items-center gap-1 rounded-full py-0.5 pr-2 pl-1.5 text-xs align-middle leading-4 font-medium whitespace-nowrap ${colours}`}
    >
      <Icon name={icon} className="size-3.5" />
      {children}
    </span>
  )
}
