import { useState } from 'react'
import type { Role } from '../../../../server/src/console/contract/me.ts'
import type { InvitationSent } from '../../../../server/src/console/contract/people.ts'
import { ask } from '../../ask/ask.ts'
import { useChange } from '../../ask/use-change.ts'
import { Button } from '../../parts/button.tsx'
import { TextInput } from '../../parts/controls.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Dialog, FormDialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { useToast } from '../../parts/toast.tsx'
import { useWords } from '../../words/language.tsx'
import { RoleChoice } from './role-choice.tsx'
import { words } from './words.ts'

interface InviteProps {
  /** Where no mail goes out. */
  readonly onPassOn: (sent: InvitationSent) => void
  readonly onClose: () => void
}

export function Invite({ onPassOn, onClose }: InviteProps) {
  const say = useWords(words)
  const toast = useToast()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('viewer')
  const json = { email: email.trim(), role }
  const invite = useChange(
    () => ask<{ invitation: InvitationSent }>('team/invitations', { method: 'POST', json }),
    ['team'],
  )
  const submit = async () => {
    const asked = await invite.run()
    if (!asked.ok) return
    onClose()
    const { invitation } = asked.body
    if (invitation.link === null) toast(say.sent(invitation.email))
    else onPassOn(invitation)
  }
  return (
    <FormDialog
      title={say.invite}
      action={say.send}
      pending={invite.isRunning}
      refused={invite.refused}
      shown={['email']}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={say.email} error={invite.refused?.errors.email}>
        <TextInput
          type="email"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={email}
          onChange={event => setEmail(event.currentTarget.value)}
        />
      </Field>
      <RoleChoice role={role} onChoose={setRole} />
    </FormDialog>
  )
}

export function PassOn({ sent, onClose }: { readonly sent: InvitationSent; readonly onClose: () => void }) {
  const say = useWords(words)
  const link = sent.link ?? ''
  return (
    <Dialog title={say.passOn} onClose={onClose}>
      <div className="space-y-4">
        <p>{say.passOnSays(sent.email)}</p>
        <Field label={say.link}>
          <TextInput mono readOnly value={link} onFocus={event => event.currentTarget.select()} />
        </Field>
        <div className="flex flex-wrap justify-end gap-2">
          <CopyButton text={link} what={say.link} />
          <Button kind="primary" onClick={onClose}>
            {say.done}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
