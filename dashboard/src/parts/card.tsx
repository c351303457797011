import type { ReactNode } from 'react'
import { useId } from 'react'
import { classes } from './classes.ts'

interface CardProps {
  readonly title?: ReactNode
  readonly lead?: ReactNode
  readonly actions?: ReactNode
  /** Without padding: for a table, or rows with lines of their own. */
  readonly flush?: boolean
  readonly className?: string
  readonly children?: ReactNode
}

/** A part of a page in a box of its own, named by its heading. */
export function Card({ title, lead, actions, flush = false, className, children }: CardProps) {
  const id = useId()
  const isNamed = title !== undefined
  return (
    <section
      aria-labelledby={isNamed ? id : undefined}
      className={classes('min-w-0 rounded-lg border border-line bg-surface shadow-card', className)}
    >
      {isNamed && (
        <div className="flex flex-wrap items-start gap-x-4 gap-y-2 px-5 pt-4 pb-3">
          <div className="mr-auto min-w-0">
            <h2 id={id} className="text-[0.9375rem] font-semibold">
              {title}
            </h2>
            {lead !== undefined && <p className="mt-0.5 max-w-prose text-soft">{lead}</p>}
          </div>
          {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
        </div>
      )}
      <div className={classes(!flush && 'px-5 pb-5', !flush && !isNamed && 'pt-5')}>{children}</div>
    </section>
  )
}
