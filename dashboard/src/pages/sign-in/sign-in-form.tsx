import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { Button } from '../../parts/button.tsx'
import { TextInput } from '../../parts/controls.tsx'
import { Notice, Refusal } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { focusFirstWrong } from '../../parts/first-wrong.ts'
import { useWords } from '../../words/language.tsx'
import type { Problems, SigningIn } from './use-signing-in.ts'
import { words } from './words.ts'

interface SignInFormProps {
  readonly signing: SigningIn
  /** Who signs in, where that is known. */
  readonly email?: string
  /** Where that is not who is there. Without it the form begins anew. */
  readonly onAnother?: () => void
}

/** Email and password, then the code of an authenticator where there is one. */
export function SignInForm({ signing, email, onAnother }: SignInFormProps) {
  const say = useWords(words)
  const { needsCode, isRunning, waitS, startAgain, submit, problems } = signing
  const form = useRef<HTMLFormElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is wrong now is what the form shows
  useEffect(() => void focusFirstWrong(form.current), [problems])
  return (
    <form ref={form} onSubmit={submit} noValidate className="space-y-4">
      {/* Out of sight, but still in the form: a code is sent with them. */}
      <div hidden={needsCode} className="space-y-4">
        <Credentials problems={problems} email={email} />
      </div>
      {needsCode && <Code problems={problems} />}
      <WhyNot {...signing} />
      <Button type="submit" kind="primary" className="w-full" pending={isRunning} disabled={waitS > 0}>
        {needsCode ? say.goOn : say.signIn}
      </Button>
      {(needsCode || onAnother !== undefined) && (
        <Button kind="quiet" className="w-full" onClick={onAnother ?? startAgain}>
          {say.another}
        </Button>
      )}
    </form>
  )
}

interface CredentialsProps {
  readonly problems: Problems
  readonly email: string | undefined
}

function Credentials({ problems, email }: CredentialsProps) {
  const say = useWords(words)
  return (
    <>
      {email === undefined ? (
        <Field label={say.email} error={problems.email && say[problems.email]}>
          <TextInput
            type="email"
            name="email"
            autoComplete="username"
            autoCapitalize="off"
            spellCheck={false}
            // The page is for nothing else.
            autoFocus
          />
        </Field>
      ) : (
        <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
      )}
      <div className="relative">
        <Field label={say.password} error={problems.password && say[problems.password]}>
          <TextInput type="password" name="password" autoComplete="current-password" />
        </Field>
        {email === undefined && (
          <Link to="/forgot" className="absolute top-0 right-0 text-accent hover:underline">
            {say.forgot}
          </Link>
        )}
      </div>
    </>
  )
}

function Code({ problems }: { readonly problems: Problems }) {
  const say = useWords(words)
  return (
    <Field label={say.code} hint={say.codeHint} error={problems.code && say[problems.code]}>
      <TextInput
        name="code"
        mono
        autoComplete="one-time-code"
        autoCapitalize="off"
        spellCheck={false}
        // It is what was just asked for, and all there is to fill in.
        autoFocus
      />
    </Field>
  )
}

function WhyNot({ waitS, problems, refused }: Pick<SigningIn, 'waitS' | 'problems' | 'refused'>) {
  const say = useWords(words)
  if (waitS > 0)
    return (
      <div role="alert">
        <Notice kind="waits">{say.wait(waitS)}</Notice>
      </div>
    )
  if (problems.general !== undefined)
    return (
      <div role="alert">
        <Notice kind="bad">{say[problems.general]}</Notice>
      </div>
    )
  return <Refusal refused={refused} />
}
