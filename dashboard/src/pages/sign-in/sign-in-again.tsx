// A session that ended while a page is open: signing in again over the page, so that what was typed into it stays.

import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Me } from '../../../../server/src/console/contract/me.ts'
import { useMe } from '../../ask/me.tsx'
import { nowIs } from '../../ask/use-asked.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { tellOtherTabs } from '../../shell/other-tabs.ts'
import { leaveSignedOut, onSessionOver } from '../../shell/signed-out.ts'
import { useWords } from '../../words/language.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { useSigningIn } from './use-signing-in.ts'
import { words } from './words.ts'

/** Inside the shell, where it is known who was signed in. */
export function SignInAgain() {
  const [isOver, setOver] = useState(false)
  useEffect(() => onSessionOver(() => setOver(true)), [])
  return isOver ? <Again onClose={() => setOver(false)} /> : null
}

function Again({ onClose }: { readonly onClose: () => void }) {
  const say = useWords(words)
  const { email } = useMe()
  const queries = useQueryClient()
  const router = useRouter()
  const goOn = (me: Me) => {
    tellOtherTabs('signed in')
    onClose()
    // The same address may belong to another merchant by now.
    if (nowIs(queries, me)) void queries.invalidateQueries()
  }
  const signing = useSigningIn(goOn)
  const leave = () => {
    onClose()
    void leaveSignedOut(router, queries)
  }
  return (
    <Dialog title={say.againTitle} onClose={onClose}>
      <p className="mb-4 text-soft">{signing.needsCode ? say.codeLead : say.againLead(email)}</p>
      <SignInForm signing={signing} email={email} onAnother={leave} />
    </Dialog>
  )
}
