// No email charges a card unless its customer meant to pay. Each test sends what an attacker can make a customer's mail
// program send, over real SMTP, with the signature of the customer's own provider, and looks at what the gateway's books say.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createToken } from '@tillbell/sdk/token'
import { type MailWorld, mailDomain, type Shop, sendSigned, startMailWorld } from './support/mail-world.ts'
import { type MailParts, send, sign, write } from './support/mailbox.ts'
import { until } from './support/until.ts'

let world: MailWorld
let shop: Shop
before(async () => {
  world = await startMailWorld()
  shop = await world.newShop()
})
after(() => world.stop())

const tokenAddress = `transaction@${mailDomain}`
let customers = 0

/** A customer with a saved card. */
async function newCustomer(): Promise<string> {
  customers += 1
  const email = `customer-${customers}@example.org`
  await shop.newCard(email)
  return email
}

/** What the mail's worker made of everything that this customer sent. */
async function cameTo(email: string): Promise<string[]> {
  const { sql } = world.service.database
  await until('every letter is done', async () => {
    const letters = await sql<{ state: string }[]>`select state from letter where sender = ${email}`
    return letters.length > 0 && letters.every(({ state }) => state === 'done')
  })
  await until('every payment has left Processing', async () => {
    const open =
      await sql`select from transaction t join customer u on u.merchant_id = t.merchant_id and u.id = t.customer_id
      where u.email = ${email} and t.status = 'Processing'`
    return open.length === 0
  })
  const rows = await sql<{ status: string; wants: string | null }[]>`select t.status, t.action_wants as wants
    from transaction t join customer u on u.merchant_id = t.merchant_id and u.id = t.customer_id
    where u.email = ${email} order by t.id`
  return rows.map(({ status, wants }) => (wants === null ? status : `${status}: ${wants}`))
}

/** By the gateway's own books. */
async function chargesOf(email: string): Promise<number> {
  const { sql } = world.service.database
  const rows = await sql`select from sandbox_entry e join transaction t on t.id = e.transaction_id
    join customer u on u.merchant_id = t.merchant_id and u.id = t.customer_id
    where u.email = ${email} and e.kind = 'charge'`
  return rows.length
}

const confirmation = 'Further Action Required: confirmation'

async function mustBeConfirmed(email: string, to: string, parts: MailParts): Promise<void> {
  assert.match(await sendSigned(world, email, to, parts), /^250 /)
  assert.deepEqual(await cameTo(email), [confirmation])
  assert.equal(await chargesOf(email), 0)
}

describe('a public address that somebody else put into an email', () => {
  test('is answered "No": nothing is charged, and a second answer charges nothing either', async () => {
    const email = await newCustomer()
    const to = shop.addressOf(await shop.newOffer())
    const more = ['In-Reply-To: <lure@stranger.example>', 'References: <lure@stranger.example>']
    const text = 'No, I do not want to pay anything.\n\n> Do you want to win a prize?\n'
    await mustBeConfirmed(email, to, { subject: 'Re: You have won', text, more })
    const cancel = { subject: 'Re: You have won', text: 'Please cancel this order, I pressed send by mistake.', more }
    assert.match(await sendSigned(world, email, to, cancel), /^250 /)
    assert.deepEqual(await cameTo(email), [confirmation, confirmation])
    assert.equal(await chargesOf(email), 0)
  })

  test('stands in List-Unsubscribe: the empty email of the unsubscribe button charges nothing', async () => {
    const email = await newCustomer()
    await mustBeConfirmed(email, shop.addressOf(await shop.newOffer()), { subject: 'unsubscribe', text: '' })
  })

  test('is the organizer of a calendar invitation: accepting it charges nothing', async () => {
    const email = await newCustomer()
    const content = `Content-Type: multipart/alternative; boundary=b
MIME-Version: 1.0

--b
Content-Type: text/plain; charset=utf-8

Ada has accepted this invitation.
--b
Content-Type: text/calendar; method=REPLY; charset=utf-8

BEGIN:VCALENDAR
METHOD:REPLY
END:VCALENDAR
--b--
`
    await mustBeConfirmed(email, shop.addressOf(await shop.newOffer()), { subject: 'Accepted: Lunch', content })
  })

  test('gets a vacation reply that does not say that it is automatic: nothing is charged', async () => {
    const email = await newCustomer()
    const parts = { subject: 'Out of office', text: 'I am away until Monday.', more: ['References: <lure@x.example>'] }
    await mustBeConfirmed(email, shop.addressOf(await shop.newOffer()), parts)
  })

  test('does not charge even where the words are those that mail_to fills in', async () => {
    const email = await newCustomer()
    const offer = await shop.newOffer()
    const { mail_to } = (await shop.rest.ask(`offers/${offer}`)).json.offer
    const { pathname, searchParams } = new URL(mail_to)
    const parts = { subject: searchParams.get('subject') ?? '', text: searchParams.get('body') ?? '' }
    await mustBeConfirmed(email, pathname, parts)
  })
})

test('a public token must be confirmed', async () => {
  const email = await newCustomer()
  const { sql } = world.service.database
  const offer = await shop.newOffer()
  const [row] = await sql<{ content: string }[]>`select token_content as content from offer where id = ${offer}`
  await mustBeConfirmed(email, tokenAddress, { text: `I take it.\n\n${row?.content}` })
})

/** A token that only this customer can pay with. */
async function personalToken(email: string, amount = '100.00'): Promise<string> {
  const offer = await shop.newOffer({ email, amount })
  const { sql } = world.service.database
  const [row] = await sql<{ content: string }[]>`select token_content as content from offer where id = ${offer}`
  return row?.content ?? assert.fail()
}

describe('parts of one email that disagree', () => {
  const alternative = (text: string, html: string) => `Content-Type: multipart/alternative; boundary=b
MIME-Version: 1.0

--b
Content-Type: text/plain; charset=utf-8

${text}
--b
Content-Type: text/html; charset=utf-8

<p>${html}</p>
--b--
`

  test('different tokens in text and HTML: the email is refused', async () => {
    const email = await newCustomer()
    const [one, other] = [await personalToken(email, '1.00'), await personalToken(email, '400.00')]
    const said = await sendSigned(world, email, tokenAddress, { content: alternative(one, other) })
    assert.match(said, /^550 5\.7\.1 .*more than one code/)
    assert.equal(await chargesOf(email), 0)
  })

  test('different tokens in Subject and body: the email is refused', async () => {
    const email = await newCustomer()
    const [one, other] = [await personalToken(email, '1.00'), await personalToken(email, '400.00')]
    const said = await sendSigned(world, email, tokenAddress, { subject: one, text: other })
    assert.match(said, /^550 5\.7\.1 .*more than one code/)
    assert.equal(await chargesOf(email), 0)
  })

  test('the token of one offer at the address of another: the email is refused', async () => {
    const email = await newCustomer()
    const to = shop.addressOf(await shop.newOffer())
    const said = await sendSigned(world, email, to, { text: `I take it.\n\n${await personalToken(email)}` })
    assert.match(said, /^550 5\.7\.1 .*another offer/)
    assert.equal(await chargesOf(email), 0)
  })

  test('the sentence in the HTML part alone must be confirmed', async () => {
    const email = await newCustomer()
    const { subject, text } = await personalMail(email)
    const html = text.replaceAll('\r\n', '<br>')
    const token = /@\S+@/.exec(text)?.[0] ?? assert.fail()
    const content = alternative(`No, I do not want this.\n\n${token}`, html)
    await mustBeConfirmed(email, tokenAddress, { subject, content })
    const eve = await newCustomer()
    const only = await personalMail(eve)
    await mustBeConfirmed(eve, tokenAddress, { subject: only.subject, html: only.text.replaceAll('\r\n', '<br>') })
  })
})

interface Filled {
  readonly subject: string
  readonly text: string
}

/** What the link of an offer for this customer alone fills in. */
async function personalMail(email: string, some: { readonly [name: string]: string } = {}): Promise<Filled> {
  const offer = await shop.newOffer({ email, ...some })
  const { pathname, searchParams } = new URL((await shop.rest.ask(`offers/${offer}`)).json.offer.mail_to)
  assert.equal(pathname, tokenAddress)
  return { subject: searchParams.get('subject') ?? '', text: searchParams.get('body') ?? '' }
}

/** Without the signs that end it, so that words may follow. */
function inBase64(words: string): string {
  let padded = words
  while (Buffer.byteLength(padded) % 3 !== 0) padded += ' '
  return `${Buffer.from(padded).toString('base64').replace(/.{72}/g, '$&\n')}\nThis is my entry for the prize draw\n`
}

function escaped(words: string): string {
  const bytes = [...Buffer.from(words)].map(byte => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`)
  return `${bytes.join('').replace(/.{72}/g, '$&=\n')}\nThis is my entry for the prize draw\n`
}

describe('a personal email', () => {
  test('as its link filled it in is paid at once', async () => {
    const email = await newCustomer()
    assert.match(await sendSigned(world, email, tokenAddress, await personalMail(email)), /^250 /)
    assert.deepEqual(await cameTo(email), ['Successful'])
    assert.equal(await chargesOf(email), 1)
  })

  test('with other words must be confirmed', async () => {
    const email = await newCustomer()
    const text = `Please do not charge me.\n\n${await personalToken(email)}`
    await mustBeConfirmed(email, tokenAddress, { text })
  })

  test('with a word before or after its sentence must be confirmed', async () => {
    for (const around of [(text: string) => `No. ${text}`, (text: string) => `${text}\nNot today.`]) {
      const email = await newCustomer()
      const { subject, text } = await personalMail(email)
      await mustBeConfirmed(email, tokenAddress, { subject, text: around(text) })
    }
  })

  test('as an answer to another email must be confirmed', async () => {
    for (const field of ['In-Reply-To: <1@x.example>', 'References: <1@x.example>']) {
      const email = await newCustomer()
      await mustBeConfirmed(email, tokenAddress, { ...(await personalMail(email)), more: [field] })
    }
  })

  test('with the Subject of an answer or of a forwarded email must be confirmed', async () => {
    for (const prefix of ['Re: ', 'Fwd: ', 'AW: ', 'WG: Re[2]: ', '回复：', 'RES: ENC: ', 'R: ']) {
      const email = await newCustomer()
      const { subject, text } = await personalMail(email)
      await mustBeConfirmed(email, tokenAddress, { subject: `${prefix}${subject}`, text })
    }
  })

  test('whose Subject is not signed, or is there twice, must be confirmed', async () => {
    const email = await newCustomer()
    const mail = write(email, { to: tokenAddress, ...(await personalMail(email)) })
    const fields = 'From:To:Date:Message-ID:Content-Type:MIME-Version'
    const signed = await sign(mail, { by: world.customers, fields })
    assert.match(await send(world.service.mailPort, signed, { from: email, to: tokenAddress }), /^250 /)
    assert.deepEqual(await cameTo(email), [confirmation])
    const eve = await newCustomer()
    await mustBeConfirmed(eve, tokenAddress, { ...(await personalMail(eve)), more: ['Subject: Re: Payment'] })
    assert.equal((await chargesOf(email)) + (await chargesOf(eve)), 0)
  })

  test('whose words its sender saw encoded charges nothing, although a copy names the encoding', async () => {
    // As large providers sign: how the body is encoded is left open.
    const fields = 'From:To:Date:Message-ID:Subject:MIME-Version'
    for (const encoding of ['quoted-printable', 'base64'] as const) {
      const email = await newCustomer()
      const { text } = await personalMail(email)
      const words = `${text}\n-- \n`
      const blob = encoding === 'base64' ? inBase64(words) : escaped(words)
      const content = `Content-Type: text/plain; charset=us-ascii\nContent-Transfer-Encoding: 7bit\nMIME-Version: 1.0\n\n${blob}`
      const unsigned = write(email, { to: tokenAddress, subject: 'Prize draw', content })
      const sent = (await sign(unsigned, { by: world.customers, fields })).toString('latin1')
      const deliver = (mail: string) =>
        send(world.service.mailPort, Buffer.from(mail, 'latin1'), { from: email, to: tokenAddress })
      assert.match(await deliver(sent), /^550 5\.7\.1 Nothing was charged/)
      assert.match(await deliver(sent.replace('Encoding: 7bit', `Encoding: ${encoding}`)), /^250 /)
      assert.deepEqual(await cameTo(email), [confirmation], encoding)
      assert.equal(await chargesOf(email), 0)
    }
  })

  test('whose signature names another user of its domain must be confirmed; one that names the sender, or nobody, is paid', async () => {
    const sendAs = async (identity: (email: string) => string) => {
      const email = await newCustomer()
      const { subject, text } = await personalMail(email)
      const unsigned = write(email, { to: tokenAddress, subject, text })
      const mail = await sign(unsigned, { by: world.customers, identity: identity(email) })
      assert.match(await send(world.service.mailPort, mail, { from: email, to: tokenAddress }), /^250 /)
      const came = await cameTo(email)
      const [letter] = (await shop.rest.ask(`letters?email=${email}`)).json
      const own = letter.verdict.consent.rules.find(({ rule }: { rule: string }) => rule === 'own_sender')
      return [came, await chargesOf(email), own.why]
    }
    const paid = [['Successful'], 1, null]
    const asked = [[confirmation], 0, 'Its signature is for another user than its From.']
    assert.deepEqual(await sendAs(() => 'mallory@example.org'), asked)
    assert.deepEqual(await sendAs(email => email.replace('@', '@mail.')), asked, 'a mailbox of another domain')
    assert.deepEqual(await sendAs(() => '@example.org'), paid)
    assert.deepEqual(await sendAs(() => '@mail.example.org'), paid)
    assert.deepEqual(await sendAs(email => email.replace('example.org', 'EXAMPLE.org')), paid)
  })

  test('made offline, with a token for a card, and with other words than ours must be confirmed', async () => {
    const { demo, demoSheet } = world.service
    const email = 'customer-of-the-demo@example.org'
    const card = await demo.storeCard('4111111111111111', { email })
    const text = createToken({
      partnerId: Number(demoSheet.partner_id),
      privateKey: demoSheet.private_key,
      servicePublicKey: String(demoSheet.service_public_key),
      target: { card },
      amount: '20.00',
    })
    assert.match(await sendSigned(world, email, tokenAddress, { text }), /^250 /)
    assert.deepEqual(await cameTo(email), [confirmation])
    assert.equal(await chargesOf(email), 0)
  })
})
