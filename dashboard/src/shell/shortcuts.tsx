// Keys that lead somewhere: `/` to the search, `g` and a letter to a page, `?` shows them. Never while something is typed.

import { type LinkProps, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { useWords } from '../words/language.tsx'
import { searchId } from './search.tsx'
import { words } from './words.ts'

const places = {
  h: { to: '/', name: 'home' },
  t: { to: '/transactions', name: 'transactions' },
  d: { to: '/deliveries', name: 'deliveries' },
  o: { to: '/offers', name: 'offers' },
  a: { to: '/api-settings', name: 'apiSettings' },
} as const satisfies { [key: string]: { to: LinkProps['to']; name: string } }

const togetherMs = 1_500

export function Shortcuts() {
  const navigate = useNavigate()
  const [isShown, setShown] = useState(false)
  const goneAt = useRef(0)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return
      const place = places[event.key as keyof typeof places]
      const isSecond = event.timeStamp - goneAt.current < togetherMs
      goneAt.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (isSecond && place !== undefined) void navigate({ to: place.to })
      else if (event.key === '?') setShown(true)
      else if (event.key === '/') {
        event.preventDefault()
        document.getElementById(searchId)?.focus()
      }
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [navigate])
  return isShown ? <ShortcutList close={() => setShown(false)} /> : null
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable], dialog') !== null
}

function ShortcutList({ close }: { readonly close: () => void }) {
  const say = useWords(words)
  const rows = [
    { keys: ['/'], what: say.shortcutsList.search },
    ...Object.entries(places).map(([key, { name }]) => ({ keys: ['g', key], what: say.shortcutsList[name] })),
    { keys: ['?'], what: say.shortcutsList.help },
  ]
  return (
    <Dialog title={say.shortcuts} onClose={close}>
      <dl className="space-y-2">
        {rows.map(({ keys, what }) => (
          <div key={what} className="flex items-center justify-between gap-6">
            <dt>{what}</dt>
            <dd className="flex gap-1">
              {keys.map(key => (
                <kbd key={key} className="rounded border border-line bg-sunken px-1.5 font-sans leading-6">
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
