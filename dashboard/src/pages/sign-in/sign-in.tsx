import { useQueryClient } from '@tanstack/react-query'
import { Link, useRouter, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { Me, NotSignedIn, SignIn } from '../../../../server/src/console/contract/me.ts'
import { ask, keepCsrfToken, type Refused } from '../../ask/ask.ts'
import { useChange } from '../../ask/use-change.ts'
import { Button } from '../../parts/button.tsx'
import { TextInput } from '../../parts/controls.tsx'
import { Notice, Refusal } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { Outside } from '../../shell/outside.tsx'
import { returnPath } from '../../shell/signed-out.ts'
import { useWords } from '../../words/language.tsx'
import { useSecondsLeft } from './seconds-left.ts'
import { words } from './words.ts'

export function SignInPage() {
  const say = useWords(words)
  const [needsCode, setNeedsCode] = useState(false)
  const { signIn, waitS, submit } = useSigningIn(() => setNeedsCode(true))
  const refused = isOnlyCodeMissing(signIn.refused) ? null : signIn.refused
  const startAgain = () => {
    setNeedsCode(false)
    signIn.clear()
  }
  return (
    <Outside title={say.title} {...(needsCode && { lead: say.codeLead })}>
      <form onSubmit={submit} noValidate className="space-y-4">
        <div hidden={needsCode} className="space-y-4">
          <Credentials refused={refused} />
        </div>
        {needsCode && <Code refused={refused} />}
        {waitS > 0 ? (
          <div role="alert">
            <Notice kind="waits">{say.wait(waitS)}</Notice>
          </div>
        ) : (
          <Refusal
            refused={refused?.status === 429 ? null : refused}
            shown={needsCode ? ['code'] : ['email', 'password']}
          />
        )}
        <Button type="submit" kind="primary" className="w-full" pending={signIn.isRunning} disabled={waitS > 0}>
          {needsCode ? say.goOn : say.signIn}
        </Button>
        {needsCode && (
          <Button kind="quiet" className="w-full" onClick={startAgain}>
            {say.another}
          </Button>
        )}
      </form>
    </Outside>
  )
}

function Credentials({ refused }: { readonly refused: Refused | null }) {
  const say = useWords(words)
  return (
    <>
      <Field label={say.email} error={refused?.errors.email}>
        <TextInput type="email" name="email" autoComplete="username" autoCapitalize="off" spellCheck={false} required />
      </Field>
      <div className="relative">
        <Field label={say.password} error={refused?.errors.password}>
          <TextInput type="password" name="password" autoComplete="current-password" required />
        </Field>
        <Link to="/forgot" className="absolute top-0 right-0 text-accent hover:underline">
          {say.forgot}
        </Link>
      </div>
    </>
  )
}

function Code({ refused }: { readonly refused: Refused | null }) {
  const say = useWords(words)
  return (
    <Field label={say.code} hint={say.codeHint} error={refused?.errors.code}>
      <TextInput name="code" mono autoComplete="one-time-code" autoCapitalize="off" spellCheck={false} autoFocus />
    </Field>
  )
}

function useSigningIn(whenCodeIsMissing: () => void) {
  const queries = useQueryClient()
  const router = useRouter()
  const { to } = useSearch({ strict: false }) as { to?: string }
  const [waitS, waitFor] = useSecondsLeft()
  const signIn = useChange((given: SignIn) => ask<{ me: Me }>('session', { method: 'POST', json: given }))
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const asked = await signIn.run(givenIn(new FormData(event.currentTarget)))
    if (asked.ok) {
      keepCsrfToken(asked.body.me.csrf_token)
      queries.clear()
      router.history.replace(router.basepath + returnPath(to))
    } else if (asked.status === 429) waitFor(asked.retryAfterS ?? 0)
    else if (isOnlyCodeMissing(asked)) whenCodeIsMissing()
  }
  return { signIn, waitS, submit }
}

function givenIn(form: FormData): SignIn {
  const text = (name: string) => String(form.get(name) ?? '')
  const code = text('code').trim()
  return { email: text('email').trim(), password: text('password'), ...(code !== '' && { code }) }
}

/** The password was right, and no code was given yet: nothing to complain about. */
function isOnlyCodeMissing(refused: Refused | null): boolean {
  const body = refused?.body as NotSignedIn | null | undefined
  return body?.needs === 'code' && body.errors.code === undefined
}
