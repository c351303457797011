import { useState } from 'react'
import type { MailSampleKind } from '../../../../server/src/console/contract/selling.ts'
import { addressOf } from '../../ask/ask.ts'
import { Card } from '../../parts/card.tsx'
import { Select } from '../../parts/controls.tsx'
import { Field } from '../../parts/field.tsx'
import { type Language, useLanguage, useWords } from '../../words/language.tsx'
import { words } from './words.ts'

/** Each mail, as the service writes it. The page in the frame says itself that it may do nothing. */
export function MailSamples() {
  const say = useWords(words)
  const [kind, setKind] = useState<MailSampleKind>('receipt')
  const [language, setLanguage] = useState<Language>(useLanguage().language)
  return (
    <Card title={say.samples} className="xl:sticky xl:top-20">
      <div className="mb-3 grid gap-3 sm:grid-cols-2">
        <Field label={say.sample}>
          <Select value={kind} onChange={event => setKind(event.currentTarget.value as MailSampleKind)}>
            {Object.entries(say.kinds).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={say.language}>
          <Select value={language} onChange={event => setLanguage(event.currentTarget.value as Language)}>
            <option value="en">{say.english}</option>
            <option value="es">{say.spanish}</option>
          </Select>
        </Field>
      </div>
      <iframe
        title={say.frame}
        src={addressOf('mail_samples', { kind, language })}
        className="block h-[36rem] w-full rounded-md border border-line bg-white"
      />
    </Card>
  )
}
