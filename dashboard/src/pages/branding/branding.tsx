import { type FormEvent, useState } from 'react'
import type { PaymentPageRecord } from '../../../../server/src/console/contract/records.ts'
import { ask } from '../../ask/ask.ts'
import { useMay } from '../../ask/me.tsx'
import { useAsked } from '../../ask/use-asked.ts'
import { useChange } from '../../ask/use-change.ts'
import { AskBeforeLeaving } from '../../parts/ask-before-leaving.tsx'
import { Button } from '../../parts/button.tsx'
import { Notice, Refusal } from '../../parts/failure.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { useToast } from '../../parts/toast.tsx'
import { useWords } from '../../words/language.tsx'
import { PreviewCard } from '../preview/preview-card.tsx'
import { AfterPaying, Colours, WhoYouAre } from './look-fields.tsx'
import { argumentsOf, formOf } from './look-form.ts'
import { words } from './words.ts'

const path = 'rest/payment_page'
const fields = ['name', 'logo', 'button_color', 'background_color', 'support_email', 'return_url', 'frame_ancestors']

export function BrandingPage() {
  const say = useWords(words)
  const shown = useAsked<{ readonly payment_page: PaymentPageRecord }>(path)
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      <Loaded shown={shown}>{({ payment_page }) => <Look page={payment_page} />}</Loaded>
    </>
  )
}

function Look({ page }: { readonly page: PaymentPageRecord }) {
  const say = useWords(words)
  const toast = useToast()
  const may = useMay('developer')
  const [form, setForm] = useState(() => formOf(page))
  const saving = useChange(
    (json: object) => ask<{ readonly payment_page: PaymentPageRecord }>(path, { method: 'PATCH', json }),
    [path, 'me', 'rest/offers'],
  )
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const saved = await saving.run(argumentsOf(form))
    if (!saved.ok) return
    setForm(formOf(saved.body.payment_page))
    toast(say.saved)
  }
  const change = (next: Partial<typeof form>) => setForm(was => ({ ...was, ...next }))
  const filling = { form, change, errors: saving.refused?.errors ?? {}, page }
  return (
    <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_28rem]">
      <AskBeforeLeaving isChanged={JSON.stringify(form) !== JSON.stringify(formOf(page))} />
      <form onSubmit={submit} noValidate className="min-w-0">
        {!may && (
          <div className="mb-4">
            <Notice kind="note">{say.viewer}</Notice>
          </div>
        )}
        <fieldset disabled={!may} className="min-w-0 space-y-4">
          <WhoYouAre {...filling} />
          <Colours {...filling} />
          <AfterPaying {...filling} />
          <Refusal refused={saving.refused} shown={fields} />
          {may && (
            <Button type="submit" kind="primary" pending={saving.isRunning}>
              {say.save}
            </Button>
          )}
        </fieldset>
      </form>
      <PreviewCard path="payment_page/preview" json={form.name.trim() === '' ? null : argumentsOf(form)} />
    </div>
  )
}
