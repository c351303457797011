// The grey shapes of what is being loaded.

import { useWords } from '../words/language.tsx'
import { classes } from './classes.ts'
import { words } from './words.ts'

export function Skeleton({ className }: { readonly className?: string }) {
  return (
    <span aria-hidden="true" className={classes('block animate-pulse rounded bg-hover', className ?? 'h-4 w-full')} />
  )
}

/** Some lines of text, or the place of a whole card. */
export function SkeletonLines({ lines = 3 }: { readonly lines?: number }) {
  const say = useWords(words)
  return (
    <div role="status" className="space-y-2.5">
      <span className="sr-only">{say.loading}</span>
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <Skeleton key={index} className={index === lines - 1 ? 'h-4 w-2/3' : 'h-4 w-full'} />
      ))}
    </div>
  )
}
