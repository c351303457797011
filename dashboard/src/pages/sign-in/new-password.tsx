import type { PasswordFault } from '../../../../server/src/console/contract/people.ts'
import type { Refused } from '../../ask/ask.ts'
import { TextInput } from '../../parts/controls.tsx'
import { Field } from '../../parts/field.tsx'
import { useWords } from '../../words/language.tsx'
import { passwordWords } from './password-words.ts'

interface NewPasswordProps {
  readonly value: string
  readonly onType: (text: string) => void
  readonly refused: Refused | null
  /** As the service calls it. */
  readonly name: 'password' | 'new_password'
}

/** A password that is being chosen, with what is wrong with it. */
export function NewPassword({ value, onType, refused, name }: NewPasswordProps) {
  const say = useWords(passwordWords)
  const why = (refused?.body as { why?: PasswordFault } | null)?.why
  const error = why === undefined ? refused?.errors[name] : say.faults[why]
  return (
    <Field label={say.newPassword} hint={say.hint} error={error}>
      <TextInput
        type="password"
        name={name}
        autoComplete="new-password"
        value={value}
        onChange={event => onType(event.currentTarget.value)}
      />
    </Field>
  )
}
