import { Link } from '@tanstack/react-router'
import { Button } from '../../parts/button.tsx'
import { TextInput } from '../../parts/controls.tsx'
import { Notice, Refusal } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { Outside } from '../../shell/outside.tsx'
import { useWords } from '../../words/language.tsx'
import { type Problems, type SigningIn, useSigningIn } from './use-signing-in.ts'
import { words } from './words.ts'

export function SignInPage() {
  const say = useWords(words)
  const signing = useSigningIn()
  const { needsCode, isRunning, waitS, startAgain, submit, problems } = signing
  return (
    <Outside title={say.title} {...(needsCode && { lead: say.codeLead })}>
      <form onSubmit={submit} noValidate className="space-y-4">
        {/* Out of sight, but still in the form: a code is sent with them. */}
        <div hidden={needsCode} className="space-y-4">
          <Credentials problems={problems} />
        </div>
        {needsCode && <Code problems={problems} />}
        <WhyNot {...signing} />
        <Button type="submit" kind="primary" className="w-full" pending={isRunning} disabled={waitS > 0}>
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

function Credentials({ problems }: { readonly problems: Problems }) {
  const say = useWords(words)
  return (
    <>
      <Field label={say.email} error={problems.email && say[problems.email]}>
        <TextInput type="email" name="email" autoComplete="username" autoCapitalize="off" spellCheck={false} />
      </Field>
      <div className="relative">
        <Field label={say.password} error={problems.password && say[problems.password]}>
          <TextInput type="password" name="password" autoComplete="current-password" />
        </Field>
        <Link to="/forgot" className="absolute top-0 right-0 text-accent hover:underline">
          {say.forgot}
        </Link>
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
