import { SkeletonLines } from '../parts/skeleton.tsx'

/** Where a page will be. Not seen where it comes quickly. */
export function Pending() {
  return (
    <div className="late max-w-xl py-2">
      <SkeletonLines lines={4} />
    </div>
  )
}
