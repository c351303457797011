// Signing in: email and password, then the code of an authenticator where there is one.

import { useQueryClient } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { Me, NotSignedIn, SignIn } from '../../../../server/src/console/contract/me.ts'
import { ask, keepMe, type Refused } from '../../ask/ask.ts'
import { useChange } from '../../ask/use-change.ts'
import { tellOtherTabs } from '../../shell/other-tabs.ts'
import { returnPath } from '../../shell/signed-out.ts'
import { useSecondsLeft } from './seconds-left.ts'

/** What is wrong, field by field, as the names of sentences. */
export type Problems = {
  readonly [field in 'email' | 'password' | 'code' | 'general']?: 'missing' | 'wrong' | 'wrongCode'
}

export type SigningIn = ReturnType<typeof useSigningIn>

/** `enter`: what comes then. */
export function useSigningIn(enter: (me: Me) => void) {
  const [needsCode, setNeedsCode] = useState(false)
  const [problems, setProblems] = useState<Problems>({})
  const [waitS, waitFor] = useSecondsLeft()
  const signIn = useChange((given: SignIn) => ask<{ me: Me }>('session', { method: 'POST', json: given }))
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = givenIn(new FormData(event.currentTarget))
    const missing = missingIn(given, needsCode)
    setProblems(missing)
    if (Object.keys(missing).length > 0) return
    const asked = await signIn.run(given)
    if (asked.ok) return enter(asked.body.me)
    if (asked.status === 429) return waitFor(asked.retryAfterS ?? 1)
    if (wantsCode(asked)) setNeedsCode(true)
    setProblems(problemsIn(asked, given))
  }
  const startAgain = () => {
    setNeedsCode(false)
    setProblems({})
  }
  // What we have words of our own for is among the problems.
  const isOther = signIn.refused !== null && ![401, 429].includes(signIn.refused.status)
  return {
    needsCode,
    problems,
    waitS,
    isRunning: signIn.isRunning,
    refused: isOther ? signIn.refused : null,
    submit,
    startAgain,
  }
}

/** To where one was on the way to. */
export function useEntering(): (me: Me) => void {
  const queries = useQueryClient()
  const router = useRouter()
  const { to } = useSearch({ strict: false }) as { to?: string }
  return me => {
    tellOtherTabs('signed in')
    // Where it is another than before, the shell begins anew.
    keepMe(me)
    queries.clear()
    router.history.replace(router.basepath + returnPath(to))
  }
}

function givenIn(form: FormData): SignIn {
  const text = (name: string) => String(form.get(name) ?? '')
  const code = text('code').trim()
  return { email: text('email').trim(), password: text('password'), ...(code !== '' && { code }) }
}

function missingIn({ email, password, code }: SignIn, needsCode: boolean): Problems {
  return {
    ...(email === '' && { email: 'missing' as const }),
    ...(password === '' && { password: 'missing' as const }),
    ...(needsCode && code === undefined && { code: 'missing' as const }),
  }
}

function wantsCode(refused: Refused): boolean {
  return (refused.body as NotSignedIn | null)?.needs === 'code'
}

function problemsIn(refused: Refused, given: SignIn): Problems {
  if (refused.status !== 401) return {}
  if (!wantsCode(refused)) return { general: 'wrong' }
  return given.code === undefined ? {} : { code: 'wrongCode' }
}
