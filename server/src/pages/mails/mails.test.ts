import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Currency } from '../../core/money.ts'
import type { FailureCode } from '../../core/transaction.ts'
import { languages, wordsFor } from '../words/words.ts'
import type { MailLetterhead, WrittenMail } from './mail.ts'
import { isolated, named } from './named.ts'
import { errorMail, furtherActionMail, proofMail, receiptMail } from './told.ts'

const [en, es] = [wordsFor('en'), wordsFor('es')]
const head: MailLetterhead = {
  merchant: 'Käse & Söhne',
  colors: { buttonColor: null, backgroundColor: null },
  logoUrl: null,
  supportEmail: 'help@shop.example',
  isSandbox: true,
}
const payment = {
  head,
  title: 'A wheel of cheese',
  quantity: 1,
  amountMinor: 10_000n,
  currency: 'USD' as Currency,
}
const receipt = {
  ...payment,
  isReserved: false,
  at: new Date('2026-11-15T12:00:00Z'),
  card: { type: 'visa', mask: '1111' } as const,
  transactionId: '0192aaaa-0000-7000-8000-000000000001',
}
const link = 'https://pay.example/offers/0192?proof=secret'
const page = { ...payment, wants: 'page', lacks: null, link } as const
const word = {
  ...payment,
  wants: 'word',
  link,
  mailTo: 'mailto:transaction@pay.example?body=%40abc%40&subject=a',
} as const
const bank = { ...payment, wants: 'bank', link: 'https://pay.example/offers/0192?transaction=1' } as const
const error = { ...payment, code: 'card_declined' as FailureCode, link: 'https://pay.example/offers/0192' }

/** As it is read: without tags and styles, and with any break as a blank. */
function seen(html: string): string {
  return asLine(
    html
      .replace(/<\/?bdi>/g, '')
      .replace(/<(style|title)[\s\S]*?<\/\1>|<[^>]*>/g, ' ')
      .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))),
  )
}

const asLine = (text: string) => text.replace(/\s+/g, ' ').trim()
const lineOf = ({ text }: WrittenMail) => asLine(text)
const linksIn = (html: string) =>
  [...html.matchAll(/(?:href|src)="(.*?)"/g)].map(([, url = '']) => url.replaceAll('&#38;', '&'))

test('a receipt says what was paid, how much, when, with which card, to whom, its number and whom to ask', () => {
  for (const words of [en, es]) {
    const mail = receiptMail(words, receipt)
    for (const said of [
      'A wheel of cheese',
      '1111',
      'Käse & Söhne',
      receipt.transactionId,
      'help@shop.example',
      '2026',
      '12:00',
    ])
      assert.ok(lineOf(mail).includes(said), `${said} is not in:\n${mail.text}`)
    assert.match(mail.subject, /100[.,]00.*Käse & Söhne/)
  }
  assert.match(receiptMail(en, receipt).text, /has received your payment/)
  assert.match(receiptMail(en, { ...receipt, quantity: 3 }).text, /3 × A wheel of cheese/)
})

test('what is only reserved is not called paid', () => {
  const mail = receiptMail(en, { ...receipt, isReserved: true })
  assert.match(lineOf(mail), /The amount is reserved on your card\. Käse & Söhne will collect it later\./)
  assert.doesNotMatch(mail.text, /has received/)
  assert.match(receiptMail(es, { ...receipt, isReserved: true }).text, /reservado/)
  for (const words of languages) {
    const { subject, text } = receiptMail(words, { ...receipt, isReserved: true })
    assert.doesNotMatch(`${subject} ${text}`, /receipt|recibo/i)
    assert.match(subject, /^Reserv.*100[.,]00.*Käse & Söhne$/)
  }
})

test('who has something left to do is told that nothing was charged, until when, and to ignore what was not them', () => {
  for (const mail of [page, word, bank].map(facts => furtherActionMail(en, facts))) {
    for (const said of [
      'Nothing has been charged.',
      'A wheel of cheese',
      '$100.00',
      'Käse & Söhne',
      'ignore this email',
    ])
      assert.ok(lineOf(mail).includes(said), `${said} is not in:\n${mail.text}`)
  }
  assert.match(lineOf(furtherActionMail(en, page)), /works once, within 7 days/)
  assert.match(lineOf(furtherActionMail(en, word)), /over the limit.*within an hour/)
  assert.match(lineOf(furtherActionMail(en, bank)), /your bank asks you.*within 30 minutes/)
})

test('who proved to have written is told what is missing; everybody else is not', () => {
  const says = (lacks: 'card' | 'answer' | null) => lineOf(furtherActionMail(en, { ...page, lacks }))
  assert.match(says('card'), /You asked by email.*No card is saved there for your address/)
  assert.match(says('answer'), /You asked by email.*needs something more from you/)
  assert.match(says(null), /An email from your address asked/)
  assert.doesNotMatch(says(null), /card|You asked/)
})

test('the text speaks of links, and never of a button that it does not have', () => {
  for (const words of languages) {
    for (const write of everyMail.slice(0, -2)) assert.doesNotMatch(write(words, {}).text, /button|botón/)
  }
})

test('each has one button; who may confirm by mail has the page as well', () => {
  assert.deepEqual(linksIn(furtherActionMail(en, page).html), [link])
  assert.deepEqual(linksIn(furtherActionMail(en, bank).html), [bank.link])
  assert.deepEqual(linksIn(furtherActionMail(en, word).html), [word.mailTo, link])
  assert.deepEqual(linksIn(errorMail(en, error).html), [error.link])
  assert.deepEqual(linksIn(errorMail(en, { ...error, link: null }).html), [])
  assert.deepEqual(linksIn(errorMail(en, { ...error, code: 'pre_sale_stopped' }).html), [])
  assert.deepEqual(linksIn(receiptMail(en, receipt).html), [])
})

test('an error says in customers’ words why, that nothing was charged, and no secret between a bank and its customer', () => {
  const says = (code: FailureCode) => lineOf(errorMail(en, { ...error, code }))
  for (const [code, said] of [
    ['card_declined', /Your card was declined\. You have not been charged\./],
    ['stolen_card', /Your card was declined\. You have not been charged\./],
    ['insufficient_funds', /for lack of funds\. You have not been charged\./],
    ['offer_expired', /can no longer be bought.*Nothing has been charged\./],
    ['offer_used_up', /is sold out.*Nothing has been charged\./],
    ['offer_inactive', /no longer sells.*You have not been charged\./],
    ['offer_for_another', /different email address.*Nothing has been charged\./],
    ['gateway_inactive', /cannot take payments.*You have not been charged\./],
    ['pre_sale_stopped', /cannot sell this to you.*You have not been charged\./],
    ['gateway_no_answer', /did not go through\. You have not been charged\./],
  ] as const)
    assert.match(says(code), said, code)
})

const everyMail: ((words: typeof en, change: { head?: MailLetterhead; title?: string }) => WrittenMail)[] = [
  (words, change) => receiptMail(words, { ...receipt, ...change }),
  (words, change) => furtherActionMail(words, { ...page, ...change }),
  (words, change) => furtherActionMail(words, { ...word, ...change }),
  (words, change) => furtherActionMail(words, { ...bank, ...change }),
  (words, change) => errorMail(words, { ...error, ...change }),
  (words, change) => proofMail(words, { head, title: payment.title, link, purpose: 'proof', ...change }),
  (words, change) => proofMail(words, { head, title: payment.title, link, purpose: 'savedCard', ...change }),
]

test('text and HTML say the same', () => {
  for (const words of languages) {
    for (const write of everyMail) {
      const { text, html } = write(words, {})
      const inHtml = seen(html)
      const sentences = text
        .split('-- \n')[0]
        ?.split(/\n\n+/)
        .flatMap(part => part.split(/\n(?= {2})/))
        .map(part => asLine(part))
        .filter(part => part !== '' && !/^(https?|mailto):/.test(part))
      // A colon stands in the text where the HTML has a column or a button.
      const without = (all: string) => all.replaceAll(':', '')
      for (const sentence of sentences ?? [])
        assert.ok(without(inHtml).includes(without(sentence)), `“${sentence}” is not in:\n${inHtml}`)
      for (const way of linksIn(html)) assert.ok(text.includes(way), way)
    }
  }
})

test('a name or a title begins no line, tag, link or header of its own', () => {
  const evil = `x</td><script>a()</script><a href="https://evil.example">"'&\r\n\r\n  https://evil.example\r\nBcc: all@example.com www.evil.example`
  const tags = (html: string) => html.match(/<[a-z][^>]*>/gi)
  for (const words of languages) {
    for (const write of everyMail) {
      const [plain, bad] = ['x', evil].map(text => write(words, { head: { ...head, merchant: text }, title: text }))
      if (plain === undefined || bad === undefined) return assert.fail()
      assert.deepEqual(tags(bad.html), tags(plain.html))
      assert.deepEqual(linksIn(bad.html), linksIn(plain.html))
      assert.doesNotMatch(bad.subject, /[\r\n]/)
      assert.doesNotMatch(bad.text, /^\s*(https:\/\/evil|Bcc)/m)
      assert.doesNotMatch(bad.text + bad.html, /:\/\/evil|www\.evil/)
    }
  }
})

test('what is too long to be read is cut, by what is seen as one character', () => {
  assert.equal(named('a'.repeat(500)), `${'a'.repeat(119)}…`)
  const families = named('👨‍👩‍👧‍👦'.repeat(200))
  assert.equal(families, `${'👨‍👩‍👧‍👦'.repeat(119)}…`.slice(0, families.length))
  assert.ok(families.length < 1_500)
  assert.equal(named('  a \t b\u2028c  '), 'a b c')
})

test('letters that run the other way turn nothing around', () => {
  assert.equal(named('shop\u202egnp.exe\u2066\u200f'), 'shopgnp.exe')
  assert.equal(isolated('Käse'), 'Käse')
  assert.equal(isolated('متجر'), '\u2068متجر\u2069')
  const { text, html, subject } = receiptMail(en, { ...receipt, head: { ...head, merchant: 'متجر' } })
  assert.match(text, /To: \u2068متجر\u2069/)
  assert.match(html, /<bdi>متجر<\/bdi>/)
  assert.match(subject, /\u2068متجر\u2069/)
})

test('the colours are the merchant’s, with letters that can be read on them; by night they stay', () => {
  const write = (colors: MailLetterhead['colors']) => furtherActionMail(en, { ...page, head: { ...head, colors } }).html
  const own = write({ buttonColor: '#ffee00', backgroundColor: '#101010' })
  assert.match(own, /background: #ffee00[\s\S]*color: #000000/)
  assert.match(own, /<body[^>]*background: #101010; color: #ffffff/)
  assert.doesNotMatch(own, /prefers-color-scheme/)
  const plain = write({ buttonColor: null, backgroundColor: null })
  assert.match(plain, /prefers-color-scheme: dark/)
  assert.match(plain, /name="color-scheme" content="light dark"/)
})

test('nothing is fetched but a logo, whose name is said where pictures are not shown', () => {
  const logoUrl = 'https://pay.example/pages/logos/m/1'
  const { html } = receiptMail(en, { ...receipt, head: { ...head, logoUrl } })
  assert.deepEqual(linksIn(html), [logoUrl])
  assert.match(html, /<img [^>]*alt="Käse &#38; Söhne"/)
})
