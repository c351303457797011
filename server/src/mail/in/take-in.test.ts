import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mailDomain, payment, testIntake, token, wanted } from '../../../test/support/test-intake.ts'
import { connection, mailOf, notProven, outcome, resolve, type Sent } from '../../../test/support/test-letters.ts'
import { takeIn } from './take-in.ts'

const toToken = { to: `transaction@${mailDomain}`, envelope: { rcptTo: `Transaction@${mailDomain}` } }

test('the same mail again is known by its name, and by its signature under another name', async () => {
  const intake = testIntake(resolve)
  const mail = await mailOf({})
  const first = await takeIn(intake, connection, mail)
  const again = await takeIn(intake, connection, Buffer.concat([Buffer.from('Received: by a.test\r\n'), mail]))
  assert.deepEqual(
    [first, again].map(taken => taken.kind === 'taken' && taken.known),
    [false, true],
  )
})

test('automatic mail is dropped, and nothing is kept', async () => {
  const intake = testIntake(resolve)
  const automatic: Sent[] = [
    { more: ['Auto-Submitted: auto-replied'] },
    { envelope: { mailFrom: '' } },
    { more: ['List-Id: <x.test>'] },
    { more: ['Precedence: bulk'] },
    { content: 'Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b--\n' },
    { as: 'no-reply@shop.test' },
    { from: `x@${mailDomain}` },
  ]
  for (const sent of automatic) assert.equal((await outcome(sent, intake)).kind, 'dropped', JSON.stringify(sent))
  assert.deepEqual(intake.kept, [])
  assert.equal((await outcome({ more: ['Auto-Submitted: no'] }, intake)).kind, 'taken')
})

test('a token in the mail’s own words says what is paid', async () => {
  const intake = testIntake(resolve)
  const taken = await outcome({ ...toToken, text: `Hello\n\n${token}\n` }, intake)
  assert.ok(taken.kind === 'taken' && taken.verdict.isProven)
  assert.equal(intake.kept[0]?.wanted.tokenSha256, '00')
  const content = `Content-Type: text/plain; charset=x-unheard-of\nContent-Transfer-Encoding: 8bit\n\ncaf\xe9 ${token}\n`
  const odd = await outcome({ ...toToken, content })
  assert.ok(odd.kind === 'taken' && !odd.verdict.isProven, 'its token is found, and its words are nobody’s')
})

test('no token, a wrong one, several, a quoted one: refused', async () => {
  const refusal = async (text: string) => {
    const taken = await outcome({ ...toToken, text })
    return taken.kind === 'refused' && taken.enhanced
  }
  assert.equal(await refusal('Hello'), '5.7.1')
  assert.equal(await refusal(token.replace('Ab0_', 'Ab1_')), '5.7.1')
  assert.equal(await refusal(`${token} ${token.replace('Ab0_', 'Ab1_')}`), '5.7.1')
  assert.equal(await refusal(`> ${token}`), '5.7.1')
  assert.equal((await outcome({ ...toToken, subject: token })).kind, 'refused')
})

test('who leaves open how the body is to be read may quote nobody', async () => {
  const fields = 'From:To:Date:Message-ID:Subject'
  const plain = await outcome({ ...toToken, fields, text: token })
  assert.ok(plain.kind === 'taken' && plain.verdict.isProven)
  const quote = `<blockquote>${token}</blockquote>`
  await notProven({ ...toToken, fields, text: quote }, 'headers_signed')
  const ofOwn = await outcome({ ...toToken, text: `${token}\n\n> Your bell is ready.\n` })
  assert.ok(ofOwn.kind === 'taken' && ofOwn.verdict.isProven, 'what is quoted is left out')
  assert.equal((await outcome({ ...toToken, fields, html: quote })).kind, 'refused')
  const toOffer = await outcome({ more: ['In-Reply-To: <1@pay.test>'], text: '> quoted' })
  assert.ok(toOffer.kind === 'taken' && toOffer.verdict.isProven, 'its words say nothing of what is paid')
})

test('as Gmail sends it: in two parts, and signed without a word on how to read them', async () => {
  const parts = [
    `text/plain; charset="UTF-8"\n\nPlease.\n\n${token}`,
    `text/html\n\n<div dir="ltr">Please.<br>${token}</div>`,
  ]
  const body = parts.map(part => `--b\nContent-Type: ${part}\n`).join('')
  const content = `MIME-Version: 1.0\nContent-Type: multipart/alternative; boundary="b"\n\n${body}--b--\n`
  const taken = await outcome({ ...toToken, fields: 'To:From:Date:Message-ID:Subject:MIME-Version', content })
  assert.ok(taken.kind === 'taken' && taken.verdict.isProven, JSON.stringify(taken))
})

test('who changes how a body is to be read makes no words of it the sender’s own', async () => {
  const fields = 'From:To:Date:Message-ID:Subject'
  const encoded = (type: string, encoding: string, body: string) =>
    `Content-Type: ${type}\nContent-Transfer-Encoding: ${encoding}\n\n${body}\n`
  const unpadded = `@${'Ab0_'.repeat(30)}@`
  const printable = encoded('text/html', 'quoted-printable', `<p>Who?</p><block=\nquote>${unpadded}</block=\nquote>`)
  const base64 = (text: string) => Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\n')
  const html = `Content-Type: text/html\nContent-Transfer-Encoding: base64\n\n${base64(`<blockquote>${token}</blockquote>`)}`
  const both = encoded('multipart/alternative; boundary=b', '7bit', `--b\n\nWho?\n${token}\n--b\n${html}\n--b--`)
  const asText = (mail: string) => mail.replace(/^Content-Type: \S+.*$/im, 'Content-Type: text/plain')
  const asItIs = (mail: string) => mail.replace('quoted-printable', '7bit')
  const open = { ...toToken, fields }
  const anyToken = () => ({
    ...testIntake(resolve),
    openToken: async () => ({ ...wanted, tokenSha256: '00', isGood: true }),
  })
  const hidden = encoded('text/html', '7bit', `<p>What is this? <a href=" ${token} ">pay</a></p>`)
  for (const [content, spoil] of [
    [printable, asItIs],
    [printable, (mail: string) => asText(asItIs(mail))],
    [both, asText],
    [hidden, asText],
  ] as const) {
    assert.equal((await outcome({ ...open, content }, anyToken())).kind, 'refused', content)
    const changed = await outcome({ ...open, content, spoil }, anyToken())
    assert.ok(changed.kind === 'taken' && !changed.verdict.isProven, content)
  }
  await notProven(
    { ...toToken, text: token, spoil: mail => `Content-Type: text/html\r\n${mail}` },
    'one_of_each_header',
  )
})

test('ten thousand parts, a header without end, bytes that no mail has', async () => {
  const parts = Array.from({ length: 10_000 }, (_, n) => `--b\nContent-Type: text/plain\n\npart ${n}\n`)
  const content = `Content-Type: multipart/mixed; boundary=b\n\n--b\n\n${token}\n${parts.join('')}--b--\n`
  const many = await outcome({ ...toToken, content })
  assert.equal(many.kind, 'refused')
  const nested = Array.from({ length: 100 }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`)
  assert.equal((await outcome({ ...toToken, content: `${nested.join('')}\n${token}\n` })).kind, 'refused')
  const big = ['X: y\r\n'.repeat(2_001), `X: ${'y'.repeat(66_000)}\r\n`, 'DKIM-Signature: v=1\r\n'.repeat(11)]
  for (const lines of big) assert.equal((await outcome({ spoil: mail => lines + mail })).kind, 'refused')
  for (const sent of [{}, toToken])
    assert.equal((await outcome({ ...sent, text: 'a\n'.repeat(60_001) })).kind, 'refused')
  for (const byte of ['\0', '\r'])
    assert.equal((await outcome({ text: `a${byte}b`, spoil: mail => mail.replace('b', `${byte}c`) })).kind, 'refused')
})

test('addresses that are not ours', async () => {
  for (const rcptTo of [payment.replace('000001@', '000002@'), `someone@${mailDomain}`, 'transaction@elsewhere.test']) {
    const taken = await outcome({ envelope: { rcptTo } })
    assert.equal(taken.kind === 'refused' && taken.enhanced, '5.1.1')
  }
  const told = await outcome({ envelope: { rcptTo: null } })
  assert.ok(told.kind === 'taken' && told.verdict.isProven)
})

test('what comes to the office is dropped, and of a bounce it is told which mail came back', async () => {
  for (const rcptTo of [`no-reply@${mailDomain}`, `Postmaster@${mailDomain}`, 'postmaster']) {
    const taken = await outcome({ envelope: { rcptTo } })
    assert.deepEqual([taken.kind, taken.kind === 'dropped' && taken.cameBack], ['dropped', undefined], rcptTo)
  }
  const returned = `--b\nContent-Type: text/rfc822-headers\n\nMessage-ID: <1@else.test>\nMessage-ID:\n <m-1@Pay.test>\n--b--\n`
  const content = `Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n${returned}`
  const bounce = await outcome({ content, envelope: { mailFrom: '', rcptTo: `no-reply@${mailDomain}` } })
  assert.equal(bounce.kind === 'dropped' && bounce.cameBack, '<m-1@Pay.test>')
})
