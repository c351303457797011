// A link with which one customer pays the offer by email at once.

import { type FormEvent, useState } from 'react'
import type { OfferLinkRecord, OfferRecord } from '../../../../server/src/console/contract/records.ts'
import { ask } from '../../ask/ask.ts'
import { useMay } from '../../ask/me.tsx'
import { useChange } from '../../ask/use-change.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { CodeBlock, CodeLine } from '../../parts/code-block.tsx'
import { TextInput } from '../../parts/controls.tsx'
import { Notice, Refusal } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { useWords } from '../../words/language.tsx'
import { words } from './words-offer.ts'

export function CustomerLinkCard({ offer }: { readonly offer: OfferRecord }) {
  const say = useWords(words)
  const may = useMay('developer')
  const [email, setEmail] = useState(offer.email ?? '')
  const [link, setLink] = useState<OfferLinkRecord | null>(null)
  const path = `rest/offers/${offer.offer_id}/links`
  const making = useChange(
    (json: object) => ask<{ readonly link: OfferLinkRecord }>(path, { method: 'POST', json }),
    [],
  )
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setLink(null)
    const made = await making.run({ email: email.trim() })
    if (made.ok) setLink(made.body.link)
  }
  return (
    <Card title={say.customerLink} lead={say.customerLinkLead}>
      {may ? (
        <form onSubmit={submit} noValidate className="space-y-4">
          <Field label={say.customerEmail} error={making.refused?.errors.email}>
            <TextInput
              type="email"
              value={email}
              autoComplete="off"
              onChange={event => setEmail(event.currentTarget.value)}
            />
          </Field>
          <Refusal refused={making.refused} shown={['email']} />
          <Button type="submit" pending={making.isRunning}>
            {say.makeCustomerLink}
          </Button>
        </form>
      ) : (
        <Notice kind="note">{say.customerLinkViewer}</Notice>
      )}
      {link !== null && <MadeLink link={link} />}
    </Card>
  )
}

function MadeLink({ link }: { readonly link: OfferLinkRecord }) {
  const say = useWords(words)
  return (
    <div className="mt-4 space-y-3" aria-live="polite">
      <p>{say.customerLinkMade(link.email)}</p>
      {link.mail_to === null ? (
        <p className="text-soft">{say.noMail}</p>
      ) : (
        <CodeLine what={say.customerMailLink} text={link.mail_to} />
      )}
      <CodeBlock label={say.customerButton} text={link.button_html} wrap />
    </div>
  )
}
