import { useState } from 'react'
import { ask } from '../../ask/ask.ts'
import { useChange } from '../../ask/use-change.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { FormDialog } from '../../parts/dialog.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { useToast } from '../../parts/toast.tsx'
import { When } from '../../parts/when.tsx'
import { useWords } from '../../words/language.tsx'
import { NewPassword } from '../sign-in/new-password.tsx'
import { CurrentPassword } from './current-password.tsx'
import { words } from './words.ts'

export function PasswordCard({ changedAt }: { readonly changedAt: string }) {
  const say = useWords(words)
  const [isOpen, setOpen] = useState(false)
  return (
    <Card title={say.password} actions={<Button onClick={() => setOpen(true)}>{say.change}</Button>}>
      <Facts>
        <Fact name={say.passwordSince}>
          <When at={changedAt} relative />
        </Fact>
      </Facts>
      {isOpen && <ChangePassword onClose={() => setOpen(false)} />}
    </Card>
  )
}

function ChangePassword({ onClose }: { readonly onClose: () => void }) {
  const say = useWords(words)
  const toast = useToast()
  const [password, setPassword] = useState('')
  const [next, setNext] = useState('')
  const json = { password, new_password: next }
  const change = useChange(() => ask('account/password', { method: 'POST', json }), ['account'])
  const submit = async () => {
    if (!(await change.run()).ok) return
    toast(say.changed)
    onClose()
  }
  return (
    <FormDialog
      title={say.change}
      action={say.change}
      pending={change.isRunning}
      refused={change.refused}
      shown={['password', 'new_password']}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="text-soft">{say.changeSays}</p>
      <CurrentPassword value={password} onType={setPassword} refused={change.refused} />
      <NewPassword value={next} onType={setNext} refused={change.refused} name="new_password" />
    </FormDialog>
  )
}
