import { useLanguage } from '../words/language.tsx'
import { refusalIn } from '../words/refusals.ts'

interface ServiceSaysProps {
  /** What it is about; `general`: no field in particular. */
  readonly field?: string
  readonly sentence: string
}

/** A sentence that came from the service, in the reader's language where that is known. */
export function ServiceSays({ field = 'general', sentence }: ServiceSaysProps) {
  const { language } = useLanguage()
  const said = refusalIn(language, field, sentence)
  return said.language === language ? said.text : <span lang={said.language}>{said.text}</span>
}
