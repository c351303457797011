// The pages on which a customer proves an address, to pay with a card that is stored.

import { maskedEmail } from '../../core/email.ts'
import type { TransactionId } from '../../core/ids.ts'
import { field, hidden } from '../fields.ts'
import type { FramedPage } from '../frame.ts'
import { html } from '../html.ts'
import type { Words } from '../words/words.ts'
import { checkoutPath } from './asked.ts'
import type { FoundOffer } from './ports.ts'

interface ProofPage {
  readonly words: Words
  readonly root: string
  readonly found: FoundOffer
  readonly formToken: string
}

export interface AskPage extends ProofPage {
  readonly email: string
  /** It is no address. */
  readonly isWrong: boolean
  readonly quantity: number
  readonly referrerContext: string | null
  readonly resumes: TransactionId | null
}

export function askPage(page: AskPage): FramedPage {
  const { words, root, found, formToken, email, isWrong, quantity, referrerContext, resumes } = page
  // What is typed stays out of addresses; what is not wrong came from one.
  const back = checkoutPath(root, found.offer, {
    quantity,
    referrerContext,
    resumes,
    email: isWrong || resumes !== null ? null : email,
  })
  const problem = isWrong ? words.checkout.problems.email : null
  const attributes = { type: 'email', autocomplete: 'email', maxlength: 255, required: true, value: email }
  const content = html`<h1>${words.proof.heading}</h1>
<p>${words.proof.asks(found.merchant.name)}</p>
<form class="entry" method="post" action="${checkoutPath(root, found.offer)}/proofs" novalidate>
${hidden('form_token', formToken)}${hidden('quantity', String(quantity))}${referrerContext === null ? null : hidden('referrer_context', referrerContext)}${resumes === null ? null : hidden('transaction', resumes)}
${field({ name: 'email', label: words.checkout.email, problem, attributes })}
<button>${words.proof.send}</button>
</form>
<p class="back"><a href="${back}">${words.proof.backToForm}</a></p>`
  return { title: words.proof.heading, content }
}

export interface LinkPage extends ProofPage {
  /** Where its button leads. */
  readonly path: string
  readonly checkout: string
  /** Whom its button proves. */
  readonly email: string
}

/** A button: what opens links in mails by itself does not press it. */
export function linkPage(page: LinkPage): FramedPage {
  const { words, found, formToken, path, checkout, email } = page
  const { heading, sentences } = words.proof.isItYou(found.merchant.name, maskedEmail(email))
  const content = html`<h1>${heading}</h1>
${sentences.map(sentence => html`<p>${sentence}</p>`)}
<form class="entry" method="post" action="${path}">
${hidden('form_token', formToken)}${hidden('checkout', checkout)}
<button>${words.proof.itIsMe}</button>
</form>`
  return { title: heading, content }
}
