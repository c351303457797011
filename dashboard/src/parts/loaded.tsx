import type { ReactNode } from 'react'
import type { Shown } from '../ask/use-asked.ts'
import { Failure } from './failure.tsx'
import { OutdatedNotice } from './outdated.tsx'
import { SkeletonLines } from './skeleton.tsx'

interface LoadedProps<Body> {
  readonly shown: Shown<Body>
  /** Until the first answer: the shape of what comes. */
  readonly waiting?: ReactNode
  readonly children: (body: Body, more: { readonly next: string | null; readonly isOld: boolean }) => ReactNode
}

/** What was asked, once it is there: `<Loaded shown={shown} waiting={<TableSkeleton columns={5} />}>{rows => …}</Loaded>` */
export function Loaded<Body>({ shown, waiting, children }: LoadedProps<Body>) {
  if (shown.state === 'waiting') return waiting ?? <SkeletonLines />
  if (shown.state === 'failed') return <Failure refused={shown.refused} again={shown.again} />
  return (
    <>
      <OutdatedNotice outdated={shown.outdated} />
      {children(shown.body, shown)}
    </>
  )
}
