// The languages that the dashboard speaks, and which of them a browser asks for.

export const languages = ['en', 'es'] as const
export type Language = (typeof languages)[number]

export function asLanguage(text: string | null): Language | null {
  return languages.find(language => language === text) ?? null
}

export function browserLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const language = asLanguage(subtagOf(tag))
    if (language !== null) return language
  }
  return 'en'
}

/** The browser's own where it is of this language: a Briton reads British dates. */
export function localeOf(language: Language, wanted: readonly string[]): string {
  return wanted.find(tag => subtagOf(tag) === language) ?? (language === 'en' ? 'en-US' : 'es')
}

function subtagOf(tag: string): string {
  return (tag.split('-')[0] ?? '').toLowerCase()
}
