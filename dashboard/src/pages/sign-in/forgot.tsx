import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { ask } from '../../ask/ask.ts'
import { useChange } from '../../ask/use-change.ts'
import { Button } from '../../parts/button.tsx'
import { TextInput } from '../../parts/controls.tsx'
import { Notice, Refusal } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { Outside } from '../../shell/outside.tsx'
import { useWords } from '../../words/language.tsx'
import { words } from './words.ts'

export function ForgotPage() {
  const say = useWords(words)
  const [email, setEmail] = useState('')
  const [isAsked, setAsked] = useState(false)
  const forgotten = useChange(() => ask('password/forgotten', { method: 'POST', json: { email: email.trim() } }))
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const asked = await forgotten.run()
    setAsked(asked.ok)
  }
  const back = (
    <Link to="/sign-in" className="text-accent hover:underline">
      {say.toSignIn}
    </Link>
  )
  return (
    <Outside title={say.forgotTitle} lead={say.forgotLead} below={back}>
      {isAsked ? (
        <div role="status">
          <Notice kind="good">{say.forgotDone(email.trim())}</Notice>
        </div>
      ) : (
        <form onSubmit={submit} noValidate className="space-y-4">
          <Field label={say.email} error={forgotten.refused?.errors.email && say.noEmail}>
            <TextInput
              type="email"
              name="email"
              autoComplete="username"
              autoCapitalize="off"
              spellCheck={false}
              value={email}
              onChange={event => setEmail(event.currentTarget.value)}
            />
          </Field>
          <Refusal refused={forgotten.refused} shown={['email']} />
          <Button type="submit" kind="primary" className="w-full" pending={forgotten.isRunning}>
            {say.mailLink}
          </Button>
        </form>
      )}
    </Outside>
  )
}
