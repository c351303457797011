// The customer's language, as far as a mail says.

import { type Field, valuesOf } from './header.ts'

const ours = ['en', 'es']

/** With the country where it is said, such as `es-MX`; `en` where nothing of ours is. */
export function readLanguage(fields: readonly Field[]): string {
  const said = [...valuesOf(fields, 'accept-language'), ...valuesOf(fields, 'content-language')]
  const tags = said.flatMap(value => value.split(',')).map(tag => tag.split(';', 1)[0]?.trim() ?? '')
  for (const tag of tags) {
    const [, language = '', country] = /^([a-z]{2})(?:-([a-z]{2}))?$/i.exec(tag) ?? []
    if (!ours.includes(language.toLowerCase())) continue
    return country === undefined ? language.toLowerCase() : `${language.toLowerCase()}-${country.toUpperCase()}`
  }
  return 'en'
}
