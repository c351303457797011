import type { Refused } from '../../ask/ask.ts'
import { TextInput } from '../../parts/controls.tsx'
import { Field } from '../../parts/field.tsx'
import { useWords } from '../../words/language.tsx'
import { passwordWords } from '../sign-in/password-words.ts'
import { words } from './words.ts'

interface TypedProps {
  readonly value: string
  readonly onType: (text: string) => void
  readonly refused: Refused | null
}

export function CurrentPassword({ value, onType, refused }: TypedProps) {
  const say = useWords(passwordWords)
  return (
    <Field label={say.current} error={refused?.errors.password && say.wrongPassword}>
      <TextInput
        type="password"
        autoComplete="current-password"
        value={value}
        onChange={event => onType(event.currentTarget.value)}
      />
    </Field>
  )
}

export function Code({ value, onType, refused, hint }: TypedProps & { readonly hint?: string }) {
  const say = useWords(words)
  const { wrongCode } = useWords(passwordWords)
  return (
    <Field label={say.code} error={refused?.errors.code && wrongCode} {...(hint !== undefined && { hint })}>
      <TextInput
        mono
        autoComplete="one-time-code"
        autoCapitalize="off"
        spellCheck={false}
        value={value}
        onChange={event => onType(event.currentTarget.value)}
      />
    </Field>
  )
}
