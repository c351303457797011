import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { OfferRecord } from '../../../../server/src/console/contract/records.ts'
import { ask } from '../../ask/ask.ts'
import { useMay, useMe } from '../../ask/me.tsx'
import { newKey } from '../../ask/new-key.ts'
import { useAsked } from '../../ask/use-asked.ts'
import { useChange } from '../../ask/use-change.ts'
import { AskBeforeLeaving } from '../../parts/ask-before-leaving.tsx'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { Notice, Refusal } from '../../parts/failure.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { useToast } from '../../parts/toast.tsx'
import { useFilters } from '../../parts/url.ts'
import { words as shared } from '../../parts/words.ts'
import { useLanguage, useWords } from '../../words/language.tsx'
import { PreviewCard } from '../preview/preview-card.tsx'
import { HowItIsPaid, Limits, OwnData, WhatIsAsked, WhatIsSold } from './form-groups.tsx'
import { formLike } from './form-like.ts'
import { FillingContext } from './form-parts.tsx'
import { argumentsOf, canBeShown, emptyForm, type OfferForm } from './offer-form.ts'
import { words } from './words-new.ts'

/** Those that show their own sentence. */
const shown = [
  ...['title', 'amount', 'currency', 'details', 'stock', 'expires_at', 'email', 'address', 'custom_fields', 'gateway'],
  ...['ref_id', 'campaign', 'tag', 'form', 'page_url', 'custom_user_data', 'fulfillment'],
]

export function NewOfferPage() {
  const say = useWords(words)
  const may = useMay('developer')
  return (
    <>
      <PageHead title={say.title} back={{ to: '/offers', label: say.offers }} />
      {may ? <FirstForm /> : <Notice kind="note">{say.forbidden}</Notice>}
    </>
  )
}

/** Empty, or like the offer that the address names. */
function FirstForm() {
  const { merchant } = useMe()
  const [{ like }] = useFilters(['like'])
  const shown = useAsked<{ readonly offer: OfferRecord }>(`rest/offers/${like}`, { isOff: like === '' })
  if (like === '') return <NewOfferForm first={emptyForm(merchant.currency)} />
  return <Loaded shown={shown}>{({ offer }) => <NewOfferForm first={formLike(offer)} />}</Loaded>
}

function NewOfferForm({ first }: { readonly first: OfferForm }) {
  const say = useWords(words)
  const sayShared = useWords(shared)
  const { locale } = useLanguage()
  const [form, setForm] = useState(first)
  const { making, make } = useMaking()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void make(argumentsOf(form, locale))
  }
  const change = (next: Partial<typeof form>) => setForm(was => ({ ...was, ...next }))
  return (
    <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_28rem]">
      <FillingContext value={{ form, change, refused: making.refused }}>
        <AskBeforeLeaving isChanged={JSON.stringify(form) !== JSON.stringify(first)} />
        <form onSubmit={submit} noValidate className="min-w-0 space-y-4">
          <WhatIsSold />
          <Limits />
          <WhatIsAsked />
          <HowItIsPaid />
          <OwnData />
          <Refusal refused={making.refused} shown={shown} />
          <div className="flex flex-wrap gap-2">
            <Button type="submit" kind="primary" pending={making.isRunning}>
              {say.create}
            </Button>
            <ButtonLink to="/offers">{sayShared.cancel}</ButtonLink>
          </div>
        </form>
      </FillingContext>
      <PreviewCard path="offers/preview" json={canBeShown(form, locale) ? argumentsOf(form, locale) : null} />
    </div>
  )
}

/** One key for the same arguments: pressed twice, it makes one offer. What was corrected is another question. */
function useMaking() {
  const say = useWords(words)
  const toast = useToast()
  const navigate = useNavigate()
  const [asked, setAsked] = useState({ json: '', key: newKey() })
  const making = useChange(
    (json: object, key: string) => ask<{ readonly offer: OfferRecord }>('rest/offers', { method: 'POST', json, key }),
    ['offers', 'rest/offers'],
  )
  const make = async (json: object) => {
    const text = JSON.stringify(json)
    const key = text === asked.json ? asked.key : newKey()
    setAsked({ json: text, key })
    const made = await making.run(json, key)
    if (!made.ok) return
    toast(say.made)
    void navigate({ to: '/offers/$id', params: { id: made.body.offer.offer_id }, replace: true, ignoreBlocker: true })
  }
  return { making, make }
}
