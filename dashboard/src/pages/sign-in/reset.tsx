import { useState } from 'react'
import { ask } from '../../ask/ask.ts'
import { useChange } from '../../ask/use-change.ts'
import { ButtonLink } from '../../parts/button.tsx'
import { Outside } from '../../shell/outside.tsx'
import { useWords } from '../../words/language.tsx'
import { MailedLink, PasswordForm } from './mailed-link.tsx'
import { words } from './words.ts'

export function ResetPage() {
  const say = useWords(words)
  return (
    <MailedLink kind="reset" title={say.resetTitle}>
      {({ email }, link) => <Reset email={email} link={link} />}
    </MailedLink>
  )
}

function Reset({ email, link }: { readonly email: string; readonly link: string }) {
  const say = useWords(words)
  const [isDone, setDone] = useState(false)
  const reset = useChange((password: string) => ask('password/reset', { method: 'POST', json: { link, password } }))
  if (isDone)
    return (
      <Outside title={say.resetDone} lead={say.resetDoneLead}>
        <ButtonLink kind="primary" to="/sign-in">
          {say.toSignIn}
        </ButtonLink>
      </Outside>
    )
  return (
    <Outside title={say.resetTitle} lead={say.resetLead(email)}>
      <PasswordForm
        email={email}
        action={say.resetAction}
        isRunning={reset.isRunning}
        refused={reset.refused}
        onChoose={async password => setDone((await reset.run(password)).ok)}
      />
    </Outside>
  )
}
