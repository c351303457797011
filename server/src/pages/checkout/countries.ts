// Countries by their ISO 3166-1 codes, with their names in the customer's language.

import type { Words } from '../words/words.ts'

const codes = (
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC ' +
  'CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD ' +
  'GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH ' +
  'KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW ' +
  'MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC ' +
  'SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY ' +
  'UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'
).split(' ')
const known = new Set(codes)

export function isCountry(code: string): boolean {
  return known.has(code)
}

export interface Country {
  readonly value: string
  readonly says: string
}

const listed = new Map<string, readonly Country[]>()

/** In the order of the language's own alphabet. By language alone: of countries, anybody can name thousands. */
export function countriesIn({ language }: Pick<Words, 'language'>): readonly Country[] {
  const list = listed.get(language) ?? namedIn(language)
  listed.set(language, list)
  return list
}

function namedIn(language: string): readonly Country[] {
  const names = new Intl.DisplayNames(language, { type: 'region' })
  const { compare } = new Intl.Collator(language)
  const countries = codes.map(value => ({ value, says: names.of(value) ?? value }))
  return countries.sort((one, other) => compare(one.says, other.says))
}

/** Where somebody who reads `es-MX` probably lives; null: the browser does not say. */
export function countryBy(acceptLanguage: string | undefined): string | null {
  for (const [, region] of (acceptLanguage ?? '').matchAll(/\b[a-z]{2,3}(?:-[a-z]{4})?-([a-z]{2})\b/gi)) {
    const code = region?.toUpperCase() ?? ''
    if (isCountry(code)) return code
  }
  return null
}
