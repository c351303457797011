// What a gateway is opened with. It is typed, sent, and never shown again.

import { useMe } from '../../ask/me.tsx'
import { TextArea, TextInput } from '../../parts/controls.tsx'
import { Field } from '../../parts/field.tsx'
import { useWords } from '../../words/language.tsx'
import { type Credential, credentialsOf, type GatewayType } from './types.ts'
import { words } from './words.ts'

interface CredentialFieldsProps {
  readonly type: GatewayType
  readonly typed: { readonly [name: string]: string }
  readonly onType: (name: string, text: string) => void
  /** What is there already stays where nothing is typed. */
  readonly isChange?: boolean
}

export function CredentialFields({ type, typed, onType, isChange = false }: CredentialFieldsProps) {
  const say = useWords(words)
  const { mode } = useMe()
  return credentialsOf(type, mode).map(credential => {
    const { name, isOptional = false, isByCurrency = false } = credential
    const shared = { value: typed[name] ?? '', mono: true, spellCheck: false, autoCapitalize: 'off' }
    return (
      <Field key={name} label={say.fields[name]} hint={say.hints[name]} optional={isOptional || isChange}>
        {isByCurrency ? (
          <TextArea {...shared} rows={2} onChange={event => onType(name, event.currentTarget.value)} />
        ) : (
          <TextInput
            {...shared}
            type={secrecy(credential)}
            // No password of the person's: no password manager is to fill it in.
            autoComplete="off"
            data-1p-ignore
            onChange={event => onType(name, event.currentTarget.value)}
          />
        )}
      </Field>
    )
  })
}

function secrecy({ isSecret = false }: Credential): 'password' | 'text' {
  return isSecret ? 'password' : 'text'
}
