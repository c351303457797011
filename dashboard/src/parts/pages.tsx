// Newer and older: the page of a list is in its address as `after`, the last row of the page before. The service only goes
// on from there, so the way back is remembered beside the address, in the browser's history.

import { useNavigate, useRouterState, useSearch } from '@tanstack/react-router'
import { useWords } from '../words/language.tsx'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { words } from './words.ts'

declare module '@tanstack/history' {
  interface HistoryState {
    /** `after` of each page before this one. */
    trail?: readonly string[]
  }
}

/** `next`: as `useAsked` says it. */
export function Pages({ next }: { readonly next: string | null }) {
  const say = useWords(words)
  const { after, go, trail } = useTrail()
  if (after === '' && next === null) return null
  const before = trail.at(-1)
  return (
    <nav aria-label={say.pages} className="mt-4 flex items-center justify-end gap-2">
      {after !== '' && before === undefined && <Button onClick={() => go('', [])}>{say.newest}</Button>}
      {before !== undefined && (
        <Button icon={<Icon name="left" className="-ml-1" />} onClick={() => go(before, trail.slice(0, -1))}>
          {say.newer}
        </Button>
      )}
      <Button disabled={next === null} onClick={() => next !== null && go(next, [...trail, after])}>
        {say.older}
        <Icon name="right" className="-mr-1" />
      </Button>
    </nav>
  )
}

function useTrail() {
  const search: { readonly [name: string]: unknown } = useSearch({ strict: false })
  const trail = useRouterState({ select: state => state.location.state.trail }) ?? []
  const navigate = useNavigate()
  const after = typeof search.after === 'string' ? search.after : ''
  const go = (to: string, nextTrail: readonly string[]) => {
    void navigate({ to: '.', search: { ...search, after: to } as never, state: { trail: nextTrail } })
  }
  return { after, go, trail }
}
