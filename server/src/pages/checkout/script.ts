// The scripts of the page of an offer. It is whole without them.

import { pageFile } from '../files.ts'

export const typingScript = pageFile('card-typing.js')
export const checkoutScript = pageFile('checkout.js')
