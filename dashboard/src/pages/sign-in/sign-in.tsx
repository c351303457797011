import { useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { Me } from '../../../../server/src/console/contract/me.ts'
import { ask } from '../../ask/ask.ts'
import { Outside } from '../../shell/outside.tsx'
import { useWords } from '../../words/language.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { useEntering, useSigningIn } from './use-signing-in.ts'
import { words } from './words.ts'

export function SignInPage() {
  const say = useWords(words)
  const { to } = useSearch({ strict: false }) as { to?: string }
  const enter = useEntering()
  const signing = useSigningIn(enter)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for who comes here signed in
  useEffect(() => {
    if (!isWhereTheVisitBegan()) return
    void ask<{ me: Me }>('me').then(asked => asked.ok && enter(asked.body.me))
  }, [])
  const lead = signing.needsCode ? say.codeLead : to === undefined ? undefined : say.toGoOn
  return (
    <Outside title={say.title} {...(lead !== undefined && { lead })}>
      <SignInForm signing={signing} />
    </Outside>
  )
}

/** Who was led here from another page is known not to be signed in. */
function isWhereTheVisitBegan(): boolean {
  const began = performance.getEntriesByType('navigation')[0]?.name
  return began !== undefined && new URL(began).pathname.endsWith('/sign-in')
}
