// The frame around every page of somebody who is signed in.

import { Outlet } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import type { Me } from '../../../server/src/console/contract/me.ts'
import { keepMe } from '../ask/ask.ts'
import { MeContext } from '../ask/me.tsx'
import { useAsked } from '../ask/use-asked.ts'
import { SignInAgain } from '../pages/sign-in/sign-in-again.tsx'
import { Failure } from '../parts/failure.tsx'
import { useLanguage, useWords } from '../words/language.tsx'
import { keepFocusOnThePage } from './kept-focus.ts'
import { Leaving } from './leaving.tsx'
import { Pending } from './pending.tsx'
import { SandboxBanner } from './sandbox-banner.tsx'
import { Shortcuts } from './shortcuts.tsx'
import { Sidebar } from './sidebar.tsx'
import { TopBar } from './top-bar.tsx'
import { words } from './words.ts'

/** The sandbox's clock may be moved from elsewhere, and a role be changed. */
const meEveryMs = 60_000

export function Shell() {
  const shown = useAsked<{ me: Me }>('me', { everyMs: meEveryMs })
  if (shown.state === 'waiting')
    return (
      <NoMe>
        <Pending />
      </NoMe>
    )
  // Who is not signed in is on the way to where one does.
  if (shown.state === 'failed' && shown.refused.status === 401) return null
  if (shown.state === 'failed')
    return (
      <NoMe>
        <Failure refused={shown.refused} again={shown.again} />
      </NoMe>
    )
  if (!keepMe(shown.body.me))
    return (
      <NoMe>
        <Leaving />
      </NoMe>
    )
  return <Frame me={shown.body.me} />
}

function NoMe({ children }: { readonly children: ReactNode }) {
  return <main className="mx-auto max-w-lg px-4 py-16">{children}</main>
}

function Frame({ me }: { readonly me: Me }) {
  const say = useWords(words)
  const { prefer } = useLanguage()
  useEffect(() => prefer(me.language), [me.language, prefer])
  useEffect(keepFocusOnThePage, [])
  return (
    <MeContext value={me}>
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-raised focus:px-3 focus:py-2 focus:shadow-raised"
      >
        {say.skip}
      </a>
      <div className="flex min-h-dvh">
        <Sidebar />
        <div className="min-w-0 flex-1">
          <SandboxBanner />
          <TopBar />
          <main id="content" tabIndex={-1} className="mx-auto max-w-6xl px-4 py-6 sm:px-6 lg:px-8 lg:py-8">
            <Outlet />
          </main>
        </div>
      </div>
      <Shortcuts />
      <SignInAgain />
    </MeContext>
  )
}
