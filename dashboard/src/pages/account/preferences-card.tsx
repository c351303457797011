import { ask } from '../../ask/ask.ts'
import { useChange } from '../../ask/use-change.ts'
import { Card } from '../../parts/card.tsx'
import { Select } from '../../parts/controls.tsx'
import { Refusal } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { type Theme, themes, useTheme } from '../../shell/theme.tsx'
import { type Language, languages, useLanguage, useWords } from '../../words/language.tsx'
import { words } from './words.ts'

const names: { readonly [language in Language]: string } = { en: 'English', es: 'Español' }

export function PreferencesCard() {
  const say = useWords(words)
  const { language, choose } = useLanguage()
  const { theme, choose: chooseTheme } = useTheme()
  const keep = useChange(
    (to: Language) => ask('account', { method: 'PATCH', json: { language: to } }),
    ['account', 'me'],
  )
  const speak = (to: Language) => {
    choose(to)
    void keep.run(to)
  }
  return (
    <Card className="lg:col-span-2" title={say.preferences}>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={say.language} hint={say.languageHint}>
          <Select value={language} onChange={event => speak(event.currentTarget.value as Language)}>
            {languages.map(each => (
              <option key={each} value={each}>
                {names[each]}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={say.theme} hint={say.themeHint}>
          <Select value={theme} onChange={event => chooseTheme(event.currentTarget.value as Theme)}>
            {themes.map(each => (
              <option key={each} value={each}>
                {say.themes[each]}
              </option>
            ))}
          </Select>
        </Field>
      </div>
      <Refusal refused={keep.refused} />
    </Card>
  )
}
