// What somebody came with by a mailed link. Its secret stands behind the #, which no server is sent.

import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import type { LinkRecord } from '../../../../server/src/console/contract/people.ts'
import { type Asked, ask, type Refused } from '../../ask/ask.ts'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { Failure, Refusal } from '../../parts/failure.tsx'
import { SkeletonLines } from '../../parts/skeleton.tsx'
import { Outside } from '../../shell/outside.tsx'
import { useWords } from '../../words/language.tsx'
import { NewPassword } from './new-password.tsx'
import { words } from './words.ts'

type Found = Asked<{ link: LinkRecord }>

interface MailedLinkProps {
  readonly kind: LinkRecord['kind']
  readonly title: string
  readonly children: (link: LinkRecord, secret: string) => ReactNode
}

export function MailedLink({ kind, title, children }: MailedLinkProps) {
  const say = useWords(words)
  const [secret] = useState(() => location.hash.slice(1))
  const [found, setFound] = useState<Found | null>(null)
  const [turn, setTurn] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another turn asks again
  useEffect(() => {
    void ask<{ link: LinkRecord }>('links', { method: 'POST', json: { link: secret } }).then(setFound)
  }, [secret, turn])
  if (found === null)
    return (
      <Outside title={title}>
        <SkeletonLines />
      </Outside>
    )
  if (found.ok && found.body.link.kind === kind) return children(found.body.link, secret)
  if (!found.ok && found.status !== 404 && found.status !== 422)
    return (
      <Outside title={title}>
        <Failure refused={found} again={() => setTurn(turn + 1)} />
      </Outside>
    )
  return (
    <Outside title={say.linkGone} lead={kind === 'reset' ? say.resetGone : say.invitationGone}>
      <ButtonLink to={kind === 'reset' ? '/forgot' : '/sign-in'}>
        {kind === 'reset' ? say.askAgain : say.toSignIn}
      </ButtonLink>
    </Outside>
  )
}

interface PasswordFormProps {
  readonly email: string
  readonly action: string
  readonly isRunning: boolean
  readonly refused: Refused | null
  readonly onChoose: (password: string) => void
}

export function PasswordForm({ email, action, isRunning, refused, onChoose }: PasswordFormProps) {
  const [password, setPassword] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onChoose(password)
  }
  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      {/* So that the browser keeps the password with the right name. */}
      <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
      <NewPassword value={password} onType={setPassword} refused={refused} name="password" />
      <Refusal refused={refused} shown={['password']} />
      <Button type="submit" kind="primary" className="w-full" pending={isRunning}>
        {action}
      </Button>
    </form>
  )
}
