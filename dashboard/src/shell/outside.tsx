// The frame of the pages that need no session: one card in the middle.

import { type ReactNode, useId } from 'react'
import { type Language, languages, useLanguage } from '../words/language.tsx'
import { BrandMark } from './brand.tsx'

interface OutsideProps {
  readonly title: string
  readonly lead?: ReactNode
  readonly children: ReactNode
  /** Below the card: where else one may want to go. */
  readonly below?: ReactNode
}

export function Outside({ title, lead, children, below }: OutsideProps) {
  return (
    <div className="flex min-h-dvh flex-col items-center px-4 py-10 sm:justify-center">
      <title>{`${title} · Tillbell`}</title>
      <main className="w-full max-w-sm">
        <div className="mb-6 flex items-center justify-center gap-2.5 text-lg font-semibold tracking-tight">
          <BrandMark />
          Tillbell
        </div>
        <div className="rounded-xl border border-line bg-surface p-6 shadow-card sm:p-8">
          <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
          {lead !== undefined && <p className="mt-1 text-soft">{lead}</p>}
          <div className="mt-5">{children}</div>
        </div>
        {below !== undefined && <div className="mt-4 text-center text-soft">{below}</div>}
      </main>
      <footer className="mt-8">
        <LanguageSwitch />
      </footer>
    </div>
  )
}

const names: { readonly [language in Language]: { readonly own: string; readonly label: string } } = {
  en: { own: 'English', label: 'Language' },
  es: { own: 'Español', label: 'Idioma' },
}

function LanguageSwitch() {
  const id = useId()
  const { language, choose } = useLanguage()
  return (
    <>
      <label htmlFor={id} className="sr-only">
        {names[language].label}
      </label>
      <select
        id={id}
        value={language}
        onChange={event => choose(event.currentTarget.value as Language)}
        className="h-8 rounded-md bg-transparent px-2 text-soft"
      >
        {languages.map(each => (
          <option key={each} value={each}>
            {names[each].own}
          </option>
        ))}
      </select>
    </>
  )
}
