// Mail at the command line: a customer of the sandbox pays by one command, a mail comes in from a file, and every mail that
// asked to pay can be looked at, by command and by REST alike.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createToken } from '@tillbell/sdk/token'
import type { Command } from '../src/cli/command.ts'
import { mailList, mailShow } from '../src/cli/mail.ts'
import { mailIngest } from '../src/cli/mail-in.ts'
import { mailSend } from '../src/cli/mail-send.ts'
import { type Letter, writeLetter } from '../src/cli/written-letter.ts'
import { readConfig } from '../src/config.ts'
import { openLog } from '../src/observe/log.ts'
import { answered, refused } from './support/answers.ts'
import { openLink } from './support/confirm.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

let service: TestService
let mailPort: string
before(async () => {
  service = await startTestService()
  mailPort = /"mailPort":(\d+)/.exec(service.logged())?.[1] ?? assert.fail('it takes no mail')
})
after(() => service.stop())

/** In this process: what the command itself needs is what is tested. */
async function run(command: Command, words: readonly string[], options: { [name: string]: string | boolean } = {}) {
  const { database, dataFolder } = service
  const printed: string[] = []
  const settings = { DATABASE_URL: database.url, TILLBELL_DATA: dataFolder, TILLBELL_MAIL_PORT: mailPort }
  const call = { config: readConfig(settings), log: openLog('silent'), options, positionals: words }
  const code = await command.run({ ...call, print: text => void printed.push(text) })
  return { code, text: printed.join('\n') }
}

const merchant = () => ({ merchant: service.demoSheet.merchant })

async function letterOf(transaction: string) {
  const [letter] = answered(await service.demo.ask(`letters?transaction=${transaction}`), 200).json
  return letter
}

async function cameTo(status: string): Promise<{ readonly id: string }> {
  const found = () => service.demo.ask(`transactions?source=Email%20Transaction&status=${encodeURIComponent(status)}`)
  await until(status, async () => (await found()).json.length > 0)
  return (await found()).json[0]
}

test('a customer of the sandbox pays by one command, and the letter says why they were believed', async () => {
  const { demo } = service
  const sent = await run(mailSend, [], { from: 'ada@example.com', link: demo.offer })
  assert.deepEqual([sent.code, sent.text.startsWith('Mail to transaction@localhost: 250 ')], [0, true])
  assert.doesNotMatch(sent.text, /Nothing is charged yet/)
  assert.match(sent.text, /\ntillbell mail list --merchant m_\S+ --from ada@example\.com shows what came of it\.$/)
  const paid = await cameTo('Successful')
  const letter = await letterOf(paid.id)
  assert.deepEqual(
    [letter.from, letter.proven, letter.state, letter.offer, letter.transaction],
    ['ada@example.com', true, 'done', demo.offer, paid.id],
  )
  assert.ok(letter.verdict.rules.every((rule: { holds: boolean }) => rule.holds))
  assert.deepEqual(
    letter.mails.map(({ kind }: { kind: string }) => kind),
    ['receipt'],
  )
  assert.deepEqual(answered(await demo.ask(`letters/${letter.id}`), 200).json.letter.id, letter.id)
  const { text } = await run(mailShow, [letter.id], merchant())
  assert.match(text, new RegExp(`came to: ${paid.id}\n`))
  assert.match(text, /It is from ada@example\.com, who is believed:\n {2}one_of_each_header +holds\n/)
  assert.match(text, /\nIt says that its sender wants to pay:\n {2}new_mail +holds\n/)
  assert.match(text, /SPF pass, DMARC pass; signed by example\.com \(sandbox\): pass, aligned\./)
  assert.match(text, /receipt +(waiting|sent) /)
})

test('without a signature nobody is believed, and the letter names each rule that does not hold', async () => {
  const { demo } = service
  const sent = await run(mailSend, [], { from: 'ada@example.com', link: demo.offer, unsigned: true })
  assert.equal(sent.code, 0)
  const waits = await cameTo('Further Action Required')
  const { proven, verdict, mails, id } = await letterOf(waits.id)
  assert.deepEqual([proven, verdict.proven, verdict.aligned], [false, false, true])
  const broken = verdict.rules.filter((rule: { holds: boolean }) => !rule.holds)
  assert.deepEqual(broken[0], { rule: 'aligned_signature', holds: false, why: 'The mail is not signed.' })
  assert.deepEqual(
    mails.map(({ kind }: { kind: string }) => kind),
    ['further_action'],
  )
  const listed = await run(mailList, [], { ...merchant(), transaction: waits.id })
  assert.match(listed.text, new RegExp(`^ID .*\n${id} .* ada@example\\.com +no +done +${waits.id} +further_action `))
})

test('what the service says to a mail that it refuses is printed, and the command fails', async () => {
  const sent = await run(mailSend, [], { from: 'ada@example.com', token: '@bm9uZQ==@' })
  assert.deepEqual([sent.code, /transaction@localhost: 550 5\.7\.1 /.test(sent.text)], [1, true])
  await assert.rejects(run(mailSend, [], { from: 'ada@elsewhere.example', offer: service.demo.offer }), /example\.com/)
})

const letterTo = (to: string, text = 'Please.'): Letter => ({ from: 'eve@example.com', to, subject: 'Payment', text })

async function file(name: string, letter: Letter, more = ''): Promise<string> {
  const path = join(service.dataFolder, name)
  await writeFile(path, Buffer.concat([Buffer.from(more), writeLetter(letter, new Date())]))
  return path
}

test('a mail from a file is taken as SMTP takes it, once, and is shown as it came but for card numbers', async () => {
  const { demo } = service
  const card = '4242 4242 4242 4242'
  const path = await file('mail.eml', letterTo(`payment-id-${demo.offer}@localhost`), `X-Note: my card is ${card}\r\n`)
  const first = JSON.parse((await run(mailIngest, [path], { json: true })).text)
  assert.deepEqual([first.outcome, first.known, first.verdict.proven], ['taken', false, false])
  const again = await run(mailIngest, [path], {})
  assert.deepEqual(
    [again.code, again.text.split('\n')[0]],
    [0, `Known already as letter ${first.letter}: nothing is done again. This copy, as judged now:`],
  )
  const shown = JSON.parse((await run(mailShow, [first.letter], { ...merchant(), raw: true, json: true })).text)
  assert.equal(shown.from, 'eve@example.com')
  assert.match(shown.raw, /^X-Note: my card is \*{4} \*{4} \*{4} 4242\r\nFrom: eve@example\.com\r\n/)
})

test('a mail that is not taken ends with 1, and the reason', async () => {
  const { demo } = service
  const none = await file('none.eml', letterTo('nobody@localhost'))
  const refusal = await run(mailIngest, [none])
  assert.equal(refusal.code, 1)
  assert.match(refusal.text, /^Refused \(5\.1\.1\): .*there is no such address here\./i)
  const away = await file(
    'away.eml',
    letterTo(`payment-id-${demo.offer}@localhost`),
    'Auto-Submitted: auto-replied\r\n',
  )
  assert.deepEqual(
    [(await run(mailIngest, [away])).code, (await run(mailIngest, [away])).text.slice(0, 7)],
    [1, 'Dropped'],
  )
})

test('letters are listed newest first, page by page, or of one transaction, sender or verdict alone', async () => {
  const { demo } = service
  const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id)
  const all = answered(await demo.ask('letters'), 200).json
  assert.equal(all.length, 3)
  assert.deepEqual(idsOf(all), idsOf(all).sort().reverse())
  const first = await demo.ask('letters?limit=1')
  const second = await demo.ask(`letters?limit=1&after=${first.json[0].id}`)
  assert.deepEqual([...idsOf(first.json), ...idsOf(second.json)], idsOf(all).slice(0, 2))
  assert.match(String(first.headers.link), /^<\S+\/letters\?limit=1&after=\S+>; rel="next"$/)
  for (const { id, transaction } of all.slice(1)) {
    assert.deepEqual(idsOf(answered(await demo.ask(`letters?transaction=${transaction}`), 200).json), [id])
  }
  const [eves, unsigned, paid] = idsOf(all)
  for (const [query, options, ids] of [
    ['email=Eve@Example.com', { from: 'Eve@Example.com' }, [eves]],
    ['email=nobody@example.com', { from: 'nobody@example.com' }, []],
    ['proven=false', { proven: 'no' }, [eves, unsigned]],
    ['proven=true&email=ada@example.com', { proven: 'yes', from: 'ada@example.com' }, [paid]],
  ] as const) {
    assert.deepEqual(idsOf(answered(await demo.ask(`letters?${query}`), 200).json), ids, query)
    const { text } = await run(mailList, [], { ...merchant(), ...options, json: true })
    assert.deepEqual(idsOf(JSON.parse(text)), ids, query)
  }
  refused(await demo.ask('letters?proven=perhaps'), 422, ['proven'])
  await assert.rejects(run(mailList, [], { ...merchant(), proven: 'perhaps' }), /--proven must be yes or no/)
})

test('letters are their merchant’s alone', async () => {
  const { demo } = service
  const other = await service.newMerchant()
  const [letter] = answered(await demo.ask('letters?limit=1'), 200).json
  assert.deepEqual(answered(await other.ask('letters'), 200).json, [])
  refused(await other.ask(`letters/${letter.id}`), 404, ['letter'])
  refused(await demo.ask('letters?transaction=none'), 422, ['transaction'])
  await assert.rejects(run(mailShow, [letter.id], { merchant: other.merchant }), /no such letter/)
})

/** The demo's mails are shown on a page instead of being sent. */
async function confirmNewest(email: string): Promise<void> {
  const linkIn = async () => {
    const [mail] = await service.database.sql<{ text: string }[]>`select text from inbox_mail
      where to_address = ${email} and subject like 'Please confirm%' order by id desc limit 1`
    return /http\S+\?proof=[\w-]{43}/.exec(mail?.text ?? '')?.[0] ?? null
  }
  await until('the link is there', async () => (await linkIn()) !== null)
  assert.equal((await (await openLink((await linkIn()) ?? '')).press()).status, 303)
}

test('a letter that comes to nothing says why', async () => {
  const { partner_id, private_key, service_public_key, merchant: id } = service.demoSheet
  const keys = { partnerId: Number(partner_id), privateKey: private_key, servicePublicKey: String(service_public_key) }
  const token = createToken({ ...keys, target: { url: 'https://shop.example/once' }, amount: '1.00' })
  const lettersDone = async () => answered(await service.demo.ask('letters?email=ada@example.com'), 200).json
  const before = (await lettersDone()).length
  for (const count of [1, 2]) {
    assert.equal((await run(mailSend, [], { from: 'ada@example.com', token })).code, 0)
    await until('it is done', async () => {
      const [newest, ...rest] = await lettersDone()
      return rest.length === before + count - 1 && newest.state === 'done'
    })
    if (count === 1) await confirmNewest('ada@example.com')
  }
  const [second, first] = await lettersDone()
  assert.deepEqual([first.closed_because, second.transaction], [null, null])
  assert.match(second.closed_because, /^Its token was used /)
  const { text } = await run(mailShow, [second.id], { merchant: id })
  assert.ok(text.includes(`\ncame to: nothing. ${second.closed_because}\n`), text)
})

test('a link that REST answered is sent as it is; a public address is confirmed by a mailed link, and the command says so', async () => {
  const { demo } = service
  const form = { email: 'ada@example.com' }
  const { link } = answered(await demo.ask(`offers/${await demo.makeOffer()}/links`, { form }), 200).json
  const sent = await run(mailSend, [], { from: 'ada@example.com', link: link.mail_to })
  assert.match(sent.text, /^Mail to transaction@localhost: 250 /)
  await until(
    'paid',
    async () => (await demo.ask(`transactions?offer=${link.offer}&status=Successful`)).json.length === 1,
  )
  const offer = await demo.makeOffer()
  const asked = await run(mailSend, [], { from: 'ada@example.com', offer })
  assert.match(asked.text, new RegExp(`^Mail to payment-id-${offer}@localhost: 250 `))
  assert.match(
    asked.text,
    /\nNothing is charged yet: ada@example\.com gets an email, and pays with the button behind its link\.\n/,
  )
  await until('asked', async () => (await demo.ask(`transactions?offer=${offer}`)).json.length === 1)
  assert.equal((await demo.ask(`transactions?offer=${offer}`)).json[0].status, 'Further Action Required')
  await assert.rejects(run(mailSend, [], { from: 'ada@example.com', link: 'nothing' }), /no such offer/)
  const gone = await demo.makeOffer({ stock: 0 })
  await assert.rejects(run(mailSend, [], { from: 'ada@example.com', link: gone }), /used up/)
})
