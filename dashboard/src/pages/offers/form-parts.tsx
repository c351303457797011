// The fields of an offer's form, each tied to its argument's name: what REST says of it stands below it.

import { createContext, type ReactNode, use } from 'react'
import type { Refused } from '../../ask/ask.ts'
import { TextInput } from '../../parts/controls.tsx'
import { Field } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { OfferForm, TextName } from './offer-form.ts'

interface Filling {
  readonly form: OfferForm
  readonly change: (change: Partial<OfferForm>) => void
  readonly refused: Refused | null
}

export const FillingContext = createContext<Filling | null>(null)

export function useFilling(): Filling {
  const filling = use(FillingContext)
  if (filling === null) throw new Error('a field outside the form')
  return filling
}

/** The value of one text, and how it is changed. */
export function useText(name: TextName) {
  const { form, change, refused } = useFilling()
  return {
    value: form.texts[name],
    set: (text: string) => change({ texts: { ...form.texts, [name]: text } }),
    error: refused?.errors[name],
  }
}

interface LineProps {
  readonly name: TextName
  readonly label: string
  readonly hint?: string
  readonly optional?: boolean
  readonly type?: string
  readonly inputMode?: 'decimal' | 'numeric' | 'email' | 'url'
  readonly maxLength?: number
}

/** One line of text. */
export function Line({ name, label, hint, optional = true, ...input }: LineProps) {
  const { value, set, error } = useText(name)
  return (
    <Field label={label} hint={hint} error={error} optional={optional}>
      <TextInput {...input} value={value} autoComplete="off" onChange={event => set(event.currentTarget.value)} />
    </Field>
  )
}

/** Further fields, shown on demand; open where one of them is wrong. */
export function Folded({
  title,
  names,
  children,
}: {
  readonly title: string
  readonly names: readonly string[]
  readonly children: ReactNode
}) {
  const { refused } = useFilling()
  const wrong = Object.keys(refused?.errors ?? {})
  const isWrong = names.some(name => wrong.some(each => each === name || each.startsWith(`${name}[`)))
  return (
    <details open={isWrong || undefined} className="group rounded-lg border border-line bg-surface shadow-card">
      <summary className="flex cursor-pointer list-none items-center gap-2 rounded-lg px-5 py-3.5 text-[0.9375rem] font-semibold hover:bg-sunken">
        <Icon name="right" className="text-soft transition-transform group-open:rotate-90" />
        {title}
      </summary>
      <div className="space-y-4 px-5 pt-1 pb-5">{children}</div>
    </details>
  )
}
