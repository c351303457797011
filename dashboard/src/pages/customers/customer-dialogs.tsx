// What can be done to a customer: each says exactly what will happen.

import { useState } from 'react'
import type { CustomerCard } from '../../../../server/src/console/contract/customers.ts'
import { ask } from '../../ask/ask.ts'
import { useKey } from '../../ask/new-key.ts'
import { useChange } from '../../ask/use-change.ts'
import { Button } from '../../parts/button.tsx'
import { CodeLine } from '../../parts/code-block.tsx'
import { TextInput } from '../../parts/controls.tsx'
import { Dialog, FormDialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { useToast } from '../../parts/toast.tsx'
import { When } from '../../parts/when.tsx'
import { useWords } from '../../words/language.tsx'
import { cardName } from '../transactions/card-name.ts'
import { actWords } from './act-words.ts'

interface OfCustomer {
  readonly email: string
  readonly onClose: () => void
}

export function EraseDialog({ email, onClose }: OfCustomer) {
  const say = useWords(actWords)
  const toast = useToast()
  const key = useKey()
  const [typed, setTyped] = useState('')
  const erasure = useChange(
    () => ask('rest/customers/erasures', { method: 'POST', json: { email }, key }),
    [...['customers', 'transactions']],
  )
  const submit = async () => {
    const asked = await erasure.run()
    if (!asked.ok) return
    toast(say.erased)
    onClose()
  }
  return (
    <FormDialog
      title={say.eraseTitle}
      action={say.eraseAction(email)}
      danger
      pending={erasure.isRunning}
      disabled={typed.trim().replace(/[A-Z]/g, letter => letter.toLowerCase()) !== email}
      refused={erasure.refused}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <p>{say.eraseSays}</p>
      <Field label={say.typeEmail(email)}>
        <TextInput
          type="email"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={event => setTyped(event.currentTarget.value)}
        />
      </Field>
    </FormDialog>
  )
}

export function RemoveCardDialog({ card, onClose }: { readonly card: CustomerCard; readonly onClose: () => void }) {
  const say = useWords(actWords)
  const toast = useToast()
  const key = useKey()
  const name = cardName({ type: card.card_type, mask: card.card_mask })
  const removal = useChange(
    () => ask(`rest/credit_cards/${card.service_token}`, { method: 'DELETE', key }),
    ['customers'],
  )
  const submit = async () => {
    const asked = await removal.run()
    if (!asked.ok) return
    toast(say.removed(name))
    onClose()
  }
  return (
    <FormDialog
      title={say.removeTitle}
      action={say.removeAction(name)}
      danger
      pending={removal.isRunning}
      refused={removal.refused}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <p>{say.removeSays(name)}</p>
    </FormDialog>
  )
}

interface MadeLink {
  readonly card_link: { readonly url: string; readonly expires_at: string }
}

export function CardLinkDialog({ email, onClose }: OfCustomer) {
  const say = useWords(actWords)
  const key = useKey()
  const [made, setMade] = useState<MadeLink['card_link'] | null>(null)
  const making = useChange(() => ask<MadeLink>('rest/credit_cards/links', { method: 'POST', json: { email }, key }))
  const submit = async () => {
    const asked = await making.run()
    if (asked.ok) setMade(asked.body.card_link)
  }
  if (made !== null) {
    return (
      <Dialog title={say.linkMade} onClose={onClose}>
        <p className="mb-3">{say.linkSays(email)}</p>
        <CodeLine what={say.linkMade} text={made.url} />
        <p className="mt-2 text-soft">
          {say.linkUntil} <When at={made.expires_at} />
        </p>
        <div className="mt-4 flex justify-end">
          <Button kind="primary" onClick={onClose}>
            {say.done}
          </Button>
        </div>
      </Dialog>
    )
  }
  return (
    <FormDialog
      title={say.linkTitle}
      action={say.linkAction}
      pending={making.isRunning}
      refused={making.refused}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <p>{say.linkSays(email)}</p>
    </FormDialog>
  )
}
