// What a gateway is opened with. It is typed, sent, and never shown again.

import type { Me } from '../../../../server/src/console/contract/me.ts'
import type { Refused } from '../../ask/ask.ts'
import { useMe } from '../../ask/me.tsx'
import { TextArea, TextInput } from '../../parts/controls.tsx'
import { Field } from '../../parts/field.tsx'
import { useLanguage, useWords } from '../../words/language.tsx'
import { refusalIn } from '../../words/refusals.ts'
import { type Credential, credentialsOf, type GatewayType } from './types.ts'
import { words } from './words.ts'

interface CredentialFieldsProps {
  readonly type: GatewayType
  readonly typed: { readonly [name: string]: string }
  readonly onType: (name: string, text: string) => void
  /** What is there already stays where nothing is typed. */
  readonly isChange?: boolean
  readonly refused: Refused | null
}

/** The one of its fields that a refusal is about; null: none of them, or all. */
export function wrongCredential(refused: Refused | null, type: GatewayType, mode: Me['mode']): string | null {
  const words = refused?.errors.credentials?.split(/\W+/) ?? []
  return credentialsOf(type, mode).find(({ name }) => words.includes(name))?.name ?? null
}

export function CredentialFields({ type, typed, onType, refused, isChange = false }: CredentialFieldsProps) {
  const say = useWords(words)
  const { language } = useLanguage()
  const { mode } = useMe()
  const wrong = wrongCredential(refused, type, mode)
  return credentialsOf(type, mode).map(credential => {
    const { name, isOptional = false, isByCurrency = false } = credential
    const shared = { value: typed[name] ?? '', mono: true, spellCheck: false, autoCapitalize: 'off' }
    const label = say.fields[name] ?? name
    const said = name === wrong ? refusalIn(language, 'credentials', refused?.errors.credentials ?? '').text : null
    const error = said === null ? undefined : said.replace(name, `“${label}”`)
    return (
      <Field key={name} label={label} hint={say.hints[name]} error={error} optional={isOptional || isChange}>
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
