import { type FormEvent, useState } from 'react'
import type { MailSettingsRecord } from '../../../../server/src/console/contract/records.ts'
import { ask } from '../../ask/ask.ts'
import { useMay, useMe } from '../../ask/me.tsx'
import { useAsked } from '../../ask/use-asked.ts'
import { useChange } from '../../ask/use-change.ts'
import { AskBeforeLeaving } from '../../parts/ask-before-leaving.tsx'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { Checkbox, TextArea, TextInput } from '../../parts/controls.tsx'
import { Notice, Refusal } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { useToast } from '../../parts/toast.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { typedAmount } from '../../words/typed-amount.ts'
import { MailSamples } from './mail-samples.tsx'
import { words } from './words.ts'

const path = 'rest/mail_settings'

export function MailSettingsPage() {
  const say = useWords(words)
  const shown = useAsked<{ readonly mail_settings: MailSettingsRecord }>(path)
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      <div className="grid items-start gap-6 xl:grid-cols-2">
        <Loaded shown={shown}>{({ mail_settings }) => <Settings settings={mail_settings} />}</Loaded>
        <MailSamples />
      </div>
    </>
  )
}

const limits = ['amount_max', 'day_amount_max', 'day_payments_max'] as const
const flags = [
  'payments',
  'public_charge_at_once',
  'personal_charge_at_once',
  'receipts',
  'further_actions',
  'errors',
  'unsigned_authorizations',
] as const

interface Form {
  readonly limits: { readonly [name in (typeof limits)[number]]: string }
  readonly flags: { readonly [name in (typeof flags)[number]]: boolean }
  /** One on each line: white space in them does not count. */
  readonly sentences: string
}

function formOf(settings: MailSettingsRecord): Form {
  const { amount_max, day_amount_max, day_payments_max, sentences, ...rest } = settings
  return {
    limits: {
      amount_max: amount_max ?? '',
      day_amount_max: day_amount_max ?? '',
      day_payments_max: String(day_payments_max ?? ''),
    },
    flags: rest,
    sentences: sentences.map(sentence => sentence.replace(/\s+/g, ' ')).join('\n'),
  }
}

function amountsIn(typed: Form['limits'], locale: string): Form['limits'] {
  const { amount_max, day_amount_max } = typed
  return {
    ...typed,
    amount_max: typedAmount(amount_max, locale),
    day_amount_max: typedAmount(day_amount_max, locale),
  }
}

function Settings({ settings }: { readonly settings: MailSettingsRecord }) {
  const say = useWords(words)
  const toast = useToast()
  const may = useMay('developer')
  const { locale } = useLanguage()
  const [form, setForm] = useState(() => formOf(settings))
  const saving = useChange(
    (json: object) => ask<{ readonly mail_settings: MailSettingsRecord }>(path, { method: 'PATCH', json }),
    [path, 'rest/offers', 'offers'],
  )
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const sentences = form.sentences.split('\n').filter(line => line.trim() !== '')
    const saved = await saving.run({ ...amountsIn(form.limits, locale), ...form.flags, sentences })
    if (!saved.ok) return
    setForm(formOf(saved.body.mail_settings))
    toast(say.saved)
  }
  const turn = (name: keyof Form['flags'], isOn: boolean) =>
    setForm(was => ({ ...was, flags: { ...was.flags, [name]: isOn } }))
  const limit = (name: keyof Form['limits'], text: string) =>
    setForm(was => ({ ...was, limits: { ...was.limits, [name]: text } }))
  const errors = saving.refused?.errors ?? {}
  return (
    <div className="min-w-0">
      <AskBeforeLeaving isChanged={JSON.stringify(form) !== JSON.stringify(formOf(settings))} />
      <form onSubmit={submit} noValidate>
        {!may && (
          <div className="mb-4">
            <Notice kind="note">{say.viewer}</Notice>
          </div>
        )}
        <fieldset disabled={!may} className="min-w-0 space-y-4">
          <Card title={say.paying}>
            <Flag name="payments" label={say.payments} hint={say.paymentsHint} form={form} onTurn={turn} />
          </Card>
          <Card title={say.atOnce} lead={say.atOnceLead}>
            <div className="space-y-3">
              <Flag
                name="personal_charge_at_once"
                label={say.personal}
                hint={say.personalHint}
                form={form}
                onTurn={turn}
              />
              <Flag name="public_charge_at_once" label={say.public} hint={say.publicHint} form={form} onTurn={turn} />
              <Field label={say.sentences} hint={say.sentencesHint} error={errors.sentences}>
                <TextArea
                  rows={3}
                  value={form.sentences}
                  onChange={event => setForm({ ...form, sentences: event.currentTarget.value })}
                />
              </Field>
            </div>
          </Card>
          <Limits form={form} errors={errors} onType={limit} />
          <Card title={say.mails} lead={say.mailsLead}>
            <div className="space-y-3">
              <Flag name="receipts" label={say.receipts} hint={say.receiptsHint} form={form} onTurn={turn} />
              <Flag
                name="further_actions"
                label={say.furtherActions}
                hint={say.furtherActionsHint}
                form={form}
                onTurn={turn}
              />
              <Flag name="errors" label={say.errors} hint={say.errorsHint} form={form} onTurn={turn} />
            </div>
          </Card>
          <Card title={say.tokens}>
            <Flag
              name="unsigned_authorizations"
              label={say.unsignedAuthorizations}
              hint={say.unsignedAuthorizationsHint}
              form={form}
              onTurn={turn}
            />
          </Card>
          <Refusal refused={saving.refused} shown={[...limits, 'sentences']} />
          {may && (
            <Button type="submit" kind="primary" pending={saving.isRunning}>
              {say.save}
            </Button>
          )}
        </fieldset>
      </form>
    </div>
  )
}

interface FlagProps {
  readonly name: keyof Form['flags']
  readonly label: string
  readonly hint: string
  readonly form: Form
  readonly onTurn: (name: keyof Form['flags'], isOn: boolean) => void
}

function Flag({ name, label, hint, form, onTurn }: FlagProps) {
  return (
    <Checkbox
      label={label}
      hint={hint}
      checked={form.flags[name]}
      onChange={event => onTurn(name, event.currentTarget.checked)}
    />
  )
}

interface LimitsProps {
  readonly form: Form
  readonly errors: { readonly [field: string]: string }
  readonly onType: (name: keyof Form['limits'], text: string) => void
}

function Limits({ form, errors, onType }: LimitsProps) {
  const say = useWords(words)
  const { currency } = useMe().merchant
  const fields = [
    { name: 'amount_max', label: say.amountMax, hint: say.in(currency), inputMode: 'decimal' },
    { name: 'day_amount_max', label: say.dayAmountMax, hint: say.in(currency), inputMode: 'decimal' },
    { name: 'day_payments_max', label: say.dayPaymentsMax, hint: say.noLimit, inputMode: 'numeric' },
  ] as const
  return (
    <Card title={say.limits} lead={say.limitsLead}>
      <div className="grid gap-4 sm:grid-cols-3">
        {fields.map(({ name, label, hint, inputMode }) => (
          <Field key={name} label={label} hint={hint} error={errors[name]}>
            <TextInput
              value={form.limits[name]}
              inputMode={inputMode}
              autoComplete="off"
              onChange={event => onType(name, event.currentTarget.value)}
            />
          </Field>
        ))}
      </div>
    </Card>
  )
}
