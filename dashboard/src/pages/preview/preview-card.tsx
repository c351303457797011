// The payment page as a customer would see it, on a phone or a desktop. The frame has no scripts, sends nothing, leads nowhere.

import { useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { Select } from '../../parts/controls.tsx'
import { Notice } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { type Language, useLanguage, useWords } from '../../words/language.tsx'
import { usePreview } from './use-preview.ts'
import { words } from './words.ts'

interface PreviewCardProps {
  readonly path: 'offers/preview' | 'payment_page/preview'
  /** The arguments; null: there is nothing to look at yet. */
  readonly json: object | null
}

export function PreviewCard({ path, json }: PreviewCardProps) {
  const say = useWords(words)
  const [language, setLanguage] = useState<Language>(useLanguage().language)
  const [device, setDevice] = useState<'phone' | 'desk'>('phone')
  const { page, refused } = usePreview(path, json, language)
  return (
    <Card title={say.title} className="xl:sticky xl:top-20">
      <div className="mb-3 grid grid-cols-2 gap-3">
        <Field label={say.language}>
          <Select value={language} onChange={event => setLanguage(event.currentTarget.value as Language)}>
            <option value="en">{say.english}</option>
            <option value="es">{say.spanish}</option>
          </Select>
        </Field>
        <Field label={say.device}>
          <Select value={device} onChange={event => setDevice(event.currentTarget.value as 'phone' | 'desk')}>
            <option value="phone">{say.phone}</option>
            <option value="desk">{say.desk}</option>
          </Select>
        </Field>
      </div>
      {page?.can_be_paid === false && <Notice kind="waits">{say.cannotBePaid}</Notice>}
      {refused !== null && <p className="mb-2 text-soft">{say.notYet}</p>}
      <Screen isPhone={device === 'phone'} html={page?.html ?? null} />
    </Card>
  )
}

function Screen({ isPhone, html }: { readonly isPhone: boolean; readonly html: string | null }) {
  const say = useWords(words)
  if (html === null) {
    return (
      <p className="rounded-lg border border-dashed border-edge/60 px-6 py-16 text-center text-soft">{say.nothing}</p>
    )
  }
  return (
    <div className="mt-2 overflow-x-auto rounded-lg border border-line bg-sunken p-3">
      <iframe
        title={say.frame}
        srcDoc={html}
        // Without allow-scripts nothing runs in it; the same origin is what its style sheets are allowed by.
        sandbox="allow-same-origin"
        className={`mx-auto block h-[40rem] rounded-md border border-line bg-white ${isPhone ? 'w-full max-w-[23.5rem]' : 'w-[60rem] max-w-none'}`}
      />
    </div>
  )
}
