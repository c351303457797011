// The email that a customer sends to pay, and the mailto link that fills it in. The service writes its own links with this
// code and compares what comes back with the same text: an email that says anything else does not charge at once.

export interface PaymentMailFacts {
  /** The merchant's name, as the payment page shows it. */
  readonly merchant: string
  /** A decimal number such as "12.50". */
  readonly amount: number | string
  /** ISO 4217; the merchant's own currency where the token names none. */
  readonly currency: string
  /** The offer's title: `item_name` of the token's user data. */
  readonly title?: string | undefined
}

export interface AskedPaymentMail extends PaymentMailFacts {
  /** Where the service takes mail: `mail_domain`. */
  readonly mailDomain: string
  /** Of `createToken`, with the target `email` or `card`. */
  readonly token: string
}

export interface PaymentMail {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** A link that opens the customer's mail program with all of this filled in. */
  readonly mailTo: string
}

/** Some systems do not open a link of more than 2,000 characters. One character may take nine of them. */
const lineCharsMax = 60
const nameCharsMax = 40

/** The email for a token that was made offline. */
export function paymentMail(asked: AskedPaymentMail): PaymentMail {
  return mailWith(asked, paymentSentence(asked), asked.token, `transaction@${asked.mailDomain}`)
}

/** For the service: an email to a public address has no token. */
export function mailWith(facts: PaymentMailFacts, sentence: string, token: string | null, to: string): PaymentMail {
  const text = token === null ? sentence : `${sentence}\n${token}\n`
  const subject = onOneLine(`${shownAmount(facts)} to ${facts.merchant}: ${titleOf(facts)}`)
  // RFC 6068: lines end with CRLF, and every other character that means something is percent-encoded.
  const [encodedSubject, body] = [subject, text.replaceAll('\n', '\r\n')].map(encoded)
  return { to, subject, text, mailTo: `mailto:${to}?subject=${encodedSubject}&body=${body}` }
}

/** What the customer sends, without the token. */
export function paymentSentence(facts: PaymentMailFacts): string {
  return `Send this email to pay ${shownAmount(facts)} to ${onOneLine(facts.merchant, nameCharsMax)} for:

${onOneLine(titleOf(facts))}

Sending it charges the card you have saved there. To cancel, do not send it.
`
}

/** What the customer sends to allow a payment that is over their limits. */
export function confirmationSentence(facts: PaymentMailFacts): string {
  return `Send this email to confirm that you pay ${shownAmount(facts)} to ${onOneLine(facts.merchant, nameCharsMax)} for:

${onOneLine(titleOf(facts))}
`
}

function titleOf(facts: PaymentMailFacts): string {
  return facts.title || `Payment of ${shownAmount(facts)}.`
}

const unusualDecimals: { readonly [decimals: number]: string } = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
}

/** `$12.50`, `12.50 EUR`, as the service shows amounts. */
function shownAmount({ amount, currency }: PaymentMailFacts): string {
  const decimals = Object.entries(unusualDecimals).find(([, codes]) => codes.split(' ').includes(currency))?.[0] ?? 2
  const [whole = '', fraction = ''] = String(amount).split('.')
  const digits = fraction.replace(/0+$/, '').padEnd(Number(decimals), '0')
  const text = digits === '' ? whole : `${whole}.${digits}`
  return currency === 'USD' ? `$${text}` : `${text} ${currency}`
}

/** Half a surrogate pair cannot be encoded. */
const encoded = (text: string) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))

/** Cut between what is read as one character: half an emoji is another one. */
function onOneLine(text: string, charsMax = lineCharsMax): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
  const characters = Array.from(new Intl.Segmenter('en').segment(line), ({ segment }) => segment)
  return characters.length <= charsMax ? line : `${characters.slice(0, charsMax - 1).join('')}…`
}
