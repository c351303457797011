// The navigation where there is no room for a sidebar: a dialog from the left.

import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { Icon } from '../parts/icon.tsx'
import { useWords } from '../words/language.tsx'
import { Search } from './search.tsx'
import { Navigation } from './sidebar.tsx'
import { words } from './words.ts'

const square = 'rounded-md p-2 text-soft hover:bg-hover hover:text-ink'

export function PhoneMenu() {
  const say = useWords(words)
  const dialog = useRef<HTMLDialogElement>(null)
  const path = useRouterState({ select: state => state.location.href })
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever got somewhere is done with it
  useEffect(() => dialog.current?.close(), [path])
  const close = () => dialog.current?.close()
  return (
    <div className="lg:hidden">
      <button type="button" aria-label={say.openMenu} className={square} onClick={() => dialog.current?.showModal()}>
        <Icon name="menu" />
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes it by itself; the click is one outside of it */}
      <dialog
        ref={dialog}
        aria-label={say.navigation}
        onClick={event => event.target === event.currentTarget && close()}
        className="m-0 h-dvh max-h-none w-72 max-w-[85vw] overflow-y-auto border-r border-line bg-surface text-ink backdrop:bg-black/50"
      >
        <div className="flex justify-end p-3">
          <button type="button" aria-label={say.closeMenu} className={square} onClick={close}>
            <Icon name="close" />
          </button>
        </div>
        <div className="mb-4 px-3 sm:hidden">
          <Search />
        </div>
        <Navigation />
      </dialog>
    </div>
  )
}
