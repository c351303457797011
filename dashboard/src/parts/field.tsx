// A field of a form: label, hint and error, tied to the control. The controls are in controls.tsx.

import { createContext, type ReactNode, use, useId } from 'react'
import { useLanguage, useWords } from '../words/language.tsx'
import { refusalAtField } from '../words/refusals.ts'
import { words } from './words.ts'

interface Tied {
  readonly id: string
  readonly describedBy: string | undefined
  readonly isWrong: boolean
}

const FieldContext = createContext<Tied | null>(null)

interface FieldProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  /** A sentence as the service says it, which is shown in the reader's language; or one of the page's own. */
  readonly error?: ReactNode
  readonly optional?: boolean
  /** Said to those who cannot see only: where the place of the field says it to the others. */
  readonly hideLabel?: boolean
  readonly children: ReactNode
}

/** `<Field label="Email" error={refused?.errors.email}><TextInput … /></Field>` */
export function Field({ label, hint, error, optional = false, hideLabel = false, children }: FieldProps) {
  const id = useId()
  const say = useWords(words)
  const { language } = useLanguage()
  const hintId = hint === undefined ? null : `${id}-hint`
  const errorId = error === undefined || error === null ? null : `${id}-error`
  const describedBy = [errorId, hintId].filter(each => each !== null).join(' ') || undefined
  return (
    <div className="min-w-0">
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'mb-1 block font-medium'}>
        {label}
        {optional && <span className="font-normal text-soft"> ({say.optional})</span>}
      </label>
      <FieldContext value={{ id, describedBy, isWrong: errorId !== null }}>{children}</FieldContext>
      {errorId !== null && (
        <p id={errorId} className="mt-1 text-[0.8125rem] text-bad">
          {typeof error === 'string'
            ? (refusalAtField(language, error, typeof label === 'string' ? label : null) ?? error)
            : error}
        </p>
      )}
      {hintId !== null && (
        <p id={hintId} className="mt-1 text-[0.8125rem] text-soft">
          {hint}
        </p>
      )}
    </div>
  )
}

/** For a control of one's own inside a Field. */
export function useField(): { id?: string; 'aria-describedby'?: string; 'aria-invalid'?: true } {
  const tied = use(FieldContext)
  if (tied === null) return {}
  return {
    id: tied.id,
    ...(tied.describedBy !== undefined && { 'aria-describedby': tied.describedBy }),
    ...(tied.isWrong && { 'aria-invalid': true as const }),
  }
}
