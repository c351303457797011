// Which language the dashboard speaks: what was chosen in this browser, else what the person's login says, else the browser.

import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react'
import { keep, kept } from '../shell/kept.ts'
import { asLanguage, browserLanguage, type Language, localeOf } from './languages.ts'

export { type Language, languages } from './languages.ts'

/** What a page says, in each language. Spanish has every sentence that English has. */
export interface Words<Sentences> {
  readonly en: Sentences
  readonly es: Sentences
}

/** So that a file of words can be written without saying its type. */
export function inBoth<Sentences>(words: { en: Sentences; es: NoInfer<Sentences> }): Words<Sentences> {
  return words
}

interface Speaking {
  readonly language: Language
  /** For Intl: the browser's own where it is of this language, so that a Briton reads British dates. */
  readonly locale: string
  readonly choose: (language: Language) => void
  /** What the login says, once it is known. */
  readonly prefer: (language: Language | null) => void
}

const SpeakingContext = createContext<Speaking | null>(null)

export function LanguageProvider({ children }: { readonly children: ReactNode }) {
  const [chosen, setChosen] = useState(() => asLanguage(kept('language')))
  const [preferred, setPreferred] = useState<Language | null>(null)
  const language = chosen ?? preferred ?? browserLanguage(navigator.languages)
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  const speaking = useMemo<Speaking>(
    () => ({
      language,
      locale: localeOf(language, navigator.languages),
      choose: next => {
        keep('language', next)
        setChosen(next)
      },
      prefer: setPreferred,
    }),
    [language],
  )
  return <SpeakingContext value={speaking}>{children}</SpeakingContext>
}

export function useLanguage(): Speaking {
  const speaking = use(SpeakingContext)
  if (speaking === null) throw new Error('a part outside the LanguageProvider')
  return speaking
}

export function useWords<Sentences>(words: Words<Sentences>): Sentences {
  return words[useLanguage().language]
}
