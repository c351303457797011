// The page of an offer as its customers would see it, for the merchant to look at: nothing in it runs, is sent or leads away.

import type { CheckoutSecret } from '../../core/checkout.ts'
import type { CardFields } from '../../core/gateway.ts'
import { rootOf } from '../../core/root-path.ts'
import { framed, type PageService } from '../frame.ts'
import { wordsFor } from '../words/words.ts'
import { checkoutPage } from './page.ts'
import type { FoundOffer } from './ports.ts'

export interface Previewed {
  readonly found: FoundOffer
  /** Null: no gateway takes cards for it. */
  readonly fields: CardFields | null
  readonly language: string
  /** Of a logo that is not saved yet. */
  readonly logoUrl: string | null
}

export function previewHtml(service: PageService, { found, fields, language, logoUrl }: Previewed): string {
  const words = wordsFor(language)
  const root = rootOf(service.baseUrl())
  // A gateway's own fields need scripts: ours stand in for them.
  const shown: CardFields = fields?.kind === 'none' ? fields : { kind: 'number' }
  const page = checkoutPage({
    ...{ words, root, found, isSandbox: service.isSandbox, quantity: 1, takesProofs: found.isMailed },
    visit: { fields: shown, attempt: 0, standing: null, proven: null },
    ...{ secret: '' as CheckoutSecret, attempt: 0, formToken: '', resumes: null, askedBy: null, referrerContext: null },
    ...{ emailAsked: null, problems: {}, says: null, asksBesides: null, isAnswer: false, country: null },
    values: found.offer.email === null ? {} : { email: found.offer.email },
  })
  const of = { merchant: found.merchant, look: found.look, ...(logoUrl !== null && { logoUrl }) }
  const text = framed({ words, root, of, isSandbox: service.isSandbox }, { ...page, scripts: [] })
  // Links would open a window, which a frame without scripts may not.
  return text.replace('<head>', '<head>\n<base target="_blank">')
}
