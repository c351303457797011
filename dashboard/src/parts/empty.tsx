import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

interface EmptyProps {
  readonly icon: IconName
  readonly title: string
  /** What would be here, and what to do next. */
  readonly children: ReactNode
  readonly action?: ReactNode
}

export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div className="rounded-lg border border-dashed border-edge/60 px-6 py-12 text-center">
      <span className="mx-auto mb-3 grid size-10 place-items-center rounded-full bg-accent-wash text-accent">
        <Icon name={icon} />
      </span>
      <p className="font-semibold">{title}</p>
      <div className="mx-auto mt-1 max-w-prose text-soft">{children}</div>
      {action !== undefined && <div className="mt-4 flex justify-center gap-2">{action}</div>}
    </div>
  )
}
