// Mails that somebody else could have sent, or that nobody sent: each by real SMTP to a customer's merchant, who has that
// customer's card, and lets mails to public addresses charge at once. Each says what the offer's link fills in, so that nothing but
// what is wrong with it keeps it from charging. None of them does; what becomes of each stands in the table.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type FilledMail,
  filledBy,
  type MailWorld,
  type Shop,
  sendSigned,
  startMailWorld,
} from './support/mail-world.ts'
import {
  type Domain,
  domain,
  type MailParts,
  type Signing,
  send,
  sign,
  signedFields,
  write,
} from './support/mailbox.ts'
import { until } from './support/until.ts'

let world: MailWorld
let shop: Shop
before(async () => {
  world = await startMailWorld()
  shop = await newShop()
})
after(() => world.stop())

async function newShop(): Promise<Shop> {
  const made = await world.newShop()
  await made.rest.ask('mail_settings', { method: 'PATCH', json: { public_charge_at_once: true } })
  return made
}

/** What the offer's own link fills in. */
async function filledIn(of: Shop, offer: string): Promise<FilledMail> {
  return filledBy((await of.rest.ask(`offers/${offer}`)).json.offer.mail_to)
}

const hourMs = 3_600_000
const ago = (ms: number) => new Date(Date.now() - ms)

interface Bad {
  readonly parts?: (ada: string, filled: FilledMail) => MailParts
  /** False: not signed. */
  readonly signing?: (own: Domain) => Partial<Signing> | false
  /** Done to the mail after it was signed. */
  readonly tampered?: (mail: Buffer) => Buffer
  readonly mailFrom?: string
  /** What the server says to it, and whether its customer is then asked to confirm. */
  readonly says: RegExp
  readonly asks: boolean
}

const taken = { says: /^250 /, asks: true }
const dropped = { says: /^250 /, asks: false }
const otherKey = domain('example.org')
const manyParts = () => {
  const part = '--b\r\nContent-Type: text/plain\r\n\r\nx\r\n'
  return `Content-Type: multipart/mixed; boundary=b\nMIME-Version: 1.0\n\n${part.repeat(10_000)}--b--\n`
}

const bad: { readonly [name: string]: Bad } = {
  'a signature that leaves the end of the body open (l=)': { signing: () => ({ bodyBytesMax: 5 }), ...taken },
  'two From headers': { tampered: mail => Buffer.concat([Buffer.from('From: eve@example.org\r\n'), mail]), ...taken },
  'a From that is a group': { parts: ada => ({ from: `Friends: ${ada};` }), ...taken },
  'two addresses in From': { parts: ada => ({ from: `${ada}, eve@example.org` }), ...taken },
  'SPF without DKIM': { signing: () => false, ...taken },
  'a key that is not the one in DNS': { signing: () => ({ by: otherKey }), ...taken },
  'a signature that has expired': {
    signing: () => ({ at: ago(2 * hourMs), expires: ago(hourMs) }),
    ...taken,
  },
  'a signature of three days ago': { signing: () => ({ at: ago(72 * hourMs) }), ...taken },
  'a date of three days ago': { parts: () => ({ date: ago(72 * hourMs).toUTCString() }), ...taken },
  'a signature that does not cover To': {
    signing: () => ({ fields: signedFields.replace(':To', '') }),
    ...taken,
  },
  'a body that was changed on the way': {
    tampered: mail => Buffer.from(mail.toString('latin1').replace('Send this', 'Sell this'), 'latin1'),
    ...taken,
  },
  'more than one payment address': {
    parts: (_, { to }) => ({ to: `${to}, transaction@pay.test` }),
    ...taken,
  },
  'an out-of-office reply': { parts: () => ({ more: ['Auto-Submitted: auto-replied'] }), ...dropped },
  'a bounce': { mailFrom: '', ...dropped },
  'a mailing list': { parts: () => ({ more: ['List-Id: <bells.example.org>'] }), ...dropped },
  'bulk mail': { parts: () => ({ more: ['Precedence: bulk'] }), ...dropped },
  'ten thousand MIME parts': { parts: () => ({ content: manyParts() }), says: /^550 5\.6\.0 /, asks: false },
  'a body in a charset that nobody knows': {
    parts: (_, { text }) => ({
      content: `Content-Type: text/plain; charset=x-klingon\nMIME-Version: 1.0\n\n${text}\n`,
    }),
    ...taken,
  },
  'an attachment of 20 MB': {
    parts: () => ({ text: 'x'.repeat(76).concat('\n').repeat(270_000) }),
    says: /^552 /,
    asks: false,
  },
}

let count = 0

for (const [name, { parts, signing, tampered, mailFrom, says, asks }] of Object.entries(bad)) {
  test(name, async () => {
    count += 1
    const ada = `ada-${count}@example.org`
    await shop.newCard(ada)
    const offer = await shop.newOffer()
    const filled = await filledIn(shop, offer)
    const { to } = filled
    const written = write(ada, { ...filled, ...parts?.(ada, filled) })
    const how = signing?.(world.customers) ?? {}
    const signed =
      how === false ? written : await sign(written, { by: world.customers, ...how } as Signing & { by: Domain })
    const reply = await send(world.service.mailPort, tampered?.(signed) ?? signed, { from: mailFrom ?? ada, to })
    assert.match(reply, says)
    const made = async () => (await shop.rest.ask(`transactions?offer=${offer}`)).json
    if (asks) await until('asked', async () => (await made()).length === 1)
    assert.deepEqual(
      (await made()).map(({ status }: { status: string }) => status),
      asks ? ['Further Action Required'] : [],
    )
    await nothingCharged()
  })
}

test('a name in From that shows another address is not that address', async () => {
  const [ada, eve] = ['ada-shown@example.org', 'eve-shown@example.org']
  await shop.newCard(ada)
  await shop.newCard(eve)
  const offer = await shop.newOffer()
  const { to, ...words } = await filledIn(shop, offer)
  assert.match(await sendSigned(world, eve, to, { ...words, from: `"${ada}" <${eve}>` }), /^250 /)
  await until('asked', async () => (await shop.rest.ask(`transactions?offer=${offer}`)).json.length === 1)
  const [asked] = (await shop.rest.ask(`transactions?offer=${offer}`)).json
  assert.equal(asked.status, 'Further Action Required')
  assert.equal((await shop.rest.ask(`transactions?email=${ada}`)).json.length, 0, 'nothing is asked of who is shown')
  await nothingCharged()
})

test('a merchant who has turned paying by mail off gets none of them, until it is turned on again', async () => {
  const ada = 'ada-not-by-mail@example.org'
  const own = await newShop()
  await own.newCard(ada)
  const offer = await own.newOffer()
  const offerNow = async () => (await own.rest.ask(`offers/${offer}`)).json.offer
  const turn = (payments: boolean) => own.rest.ask('mail_settings', { method: 'PATCH', json: { payments } })
  assert.match((await offerNow()).mail_to, /^mailto:payment-id-/)
  await turn(false)
  assert.equal((await offerNow()).mail_to, null)
  assert.doesNotMatch((await offerNow()).button_html, /mailto:/)
  assert.match(await sendSigned(world, ada, own.addressOf(offer)), /^550 .*Nothing was charged/)
  const { sql } = world.service.database
  const [row] = await sql`select token_content from offer where id = ${offer}`
  const token = { text: `Paid with ${row?.tokenContent}` }
  assert.match(await sendSigned(world, ada, 'transaction@pay.test', token), /^550 /)
  assert.deepEqual(await own.transactions(), [])
  await nothingCharged()
  await turn(true)
  assert.match((await offerNow()).mail_to, /^mailto:payment-id-/)
})

async function nothingCharged(): Promise<void> {
  const { sql } = world.service.database
  assert.equal((await sql`select from operation`).length, 0)
  assert.equal((await sql`select from sandbox_entry`).length, 0, 'by the gateway’s own books')
}

test('and one that is signed as it should be is charged', async () => {
  const ada = 'ada-herself@example.org'
  await shop.newCard(ada)
  const { to, ...words } = await filledIn(shop, await shop.newOffer())
  assert.match(await sendSigned(world, ada, to, words), /^250 /)
  await until(
    'paid',
    async () => (await shop.rest.ask(`transactions?email=${ada}&status=Successful`)).json.length === 1,
  )
})
