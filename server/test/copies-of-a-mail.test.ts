// A mail may come twice: with its signature and, from a list or a provider that changed it, without. Both are one mail and make one
// payment, also where both are decided at the same moment; and what its sender was told of the first stays true.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { reopen } from '../src/restored.ts'
import { restoredSetting } from '../src/store/backup/close-doors.ts'
import { writeSetting } from '../src/store/settings.ts'
import { answered } from './support/answers.ts'
import { confirmationLink, openLink } from './support/confirm.ts'
import { holdsUp } from './support/holds-up.ts'
import {
  type FilledMail,
  filledBy,
  type MailWorld,
  mailsTo,
  type Shop,
  sendPersonal,
  startMailWorld,
} from './support/mail-world.ts'
import { send, sign, write } from './support/mailbox.ts'
import { until } from './support/until.ts'

let world: MailWorld
let shop: Shop
before(async () => {
  world = await startMailWorld()
  shop = await world.newShop()
})
after(() => world.stop())

let customers = 0

interface Twins {
  readonly email: string
  readonly offer: string
  /** Each answers what the server said. */
  bring(copy: 'signed' | 'unsigned'): Promise<string>
}

async function twinsOf(offer: string, mailFor: (email: string) => Promise<FilledMail>): Promise<Twins> {
  customers += 1
  const email = `twin-${customers}@example.org`
  await shop.newCard(email)
  const { to, ...words } = await mailFor(email)
  const unsigned = write(email, { to, ...words })
  const mails = { unsigned, signed: await sign(unsigned, { by: world.customers }) }
  return { email, offer, bring: copy => send(world.service.mailPort, mails[copy], { from: email, to }) }
}

const toPublicAddress = async (some = {}) => {
  const offer = await shop.newOffer(some)
  const { mail_to } = answered(await shop.rest.ask(`offers/${offer}`), 200).json.offer
  return twinsOf(offer, async () => filledBy(mail_to))
}

const byPersonalLink = async (some = {}) => {
  const offer = await shop.newOffer(some)
  return twinsOf(offer, email => shop.personalMail(offer, email))
}

/** What came of the offer, in order, and what is left to decide. */
async function paymentsOf({ offer }: Twins): Promise<string[]> {
  const rows = await world.service.database.sql<{ status: string; wants: string | null; code: string | null }[]>`
    select status, action_wants as wants, failure_code as code from transaction where offer_id = ${offer} order by id`
  return rows.map(({ status, wants, code }) => [status, wants ?? code].filter(Boolean).join(': '))
}

const settled = ({ email }: Twins, letters: number) =>
  until('all copies are decided', async () => {
    const done = await world.service.database.sql`select from letter where sender = ${email} and state = 'done'`
    return done.length === letters
  })

const statementsWaiting = async () => {
  const [row] = await world.service.database.sql<{ count: number }[]>`select count(distinct pid)::int as count
    from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()`
  return row?.count ?? 0
}

for (const atOnce of [true, false]) {
  test(`two copies that are decided at the same moment ask for one payment, ${atOnce ? 'charged at once' : 'confirmed by a link'}`, async () => {
    const { sql } = world.service.database
    answered(await shop.rest.ask('mail_settings', { method: 'PATCH', json: { public_charge_at_once: atOnce } }), 200)
    const twins = await toPublicAddress()
    await sql.begin(async scope => {
      await scope`lock table transaction in share mode`
      await twins.bring('unsigned')
      await until('the first was decided', () => holdsUp(scope))
      await twins.bring('signed')
      await until('both were decided and are to be written', async () => (await statementsWaiting()) >= 2)
    })
    await settled(twins, 2)
    await until('it is charged', async () => !(await paymentsOf(twins)).includes('Processing'))
    const open = (await paymentsOf(twins)).filter(payment => payment !== 'Failed: asked_again')
    assert.deepEqual(open, [atOnce ? 'Successful' : 'Further Action Required: confirmation'])
  })
}

test('a link that is pressed while a copy with a signature is decided pays once, and nothing more is asked for', async () => {
  const { sql } = world.service.database
  answered(await shop.rest.ask('mail_settings', { method: 'PATCH', json: { public_charge_at_once: false } }), 200)
  const twins = await toPublicAddress()
  await twins.bring('unsigned')
  const page = await openLink(await confirmationLink(world.relay, twins.email))
  const [pressed] = await sql.begin(async scope => {
    await scope`select from transaction where offer_id = ${twins.offer} for update`
    const pressing = page.press()
    await until('the press waits', () => holdsUp(scope))
    await twins.bring('signed')
    await until('the copy waits behind it', async () => (await statementsWaiting()) >= 2)
    return [pressing]
  })
  await pressed
  await settled(twins, 2)
  await until('it is paid', async () => (await paymentsOf(twins))[0] === 'Successful')
  assert.deepEqual(await paymentsOf(twins), ['Successful'])
})

test('who was told that nothing was charged, because all was sold, is asked before a copy of the mail charges', async () => {
  const twins = await byPersonalLink({ stock: 1 })
  const another = await shop.newCard('eve@example.net')
  const held = answered(
    await shop.rest.charge(twins.offer, another, { form: { authorization_only: 'true' } }),
    200,
  ).json
  await twins.bring('unsigned')
  await mailsTo(world, twins.email, 1)
  answered(await shop.rest.ask(`transactions/${held.transaction.id}/void`, { method: 'POST', form: {} }), 200)
  await twins.bring('signed')
  await settled(twins, 2)
  const confirmed = 'Further Action Required: confirmation'
  assert.deepEqual(await paymentsOf(twins), ['Voided', 'Failed: offer_used_up', confirmed])
  await (await openLink(await confirmationLink(world.relay, twins.email))).press()
  await until('it is paid', async () => (await paymentsOf(twins)).at(-1) === 'Successful')
})

test('who was told on the page that their card was declined is asked before a copy of the mail charges another card', async () => {
  const twins = await byPersonalLink()
  const declined = await shop.newCard(twins.email, testCardThat('card_declined').number)
  await twins.bring('unsigned')
  await (await openLink(await confirmationLink(world.relay, twins.email))).press()
  await until('it is declined', async () => (await paymentsOf(twins))[0]?.startsWith('Failed') === true)
  answered(await shop.rest.ask(`credit_cards/${declined}`, { method: 'DELETE' }), 200)
  await twins.bring('signed')
  await settled(twins, 2)
  assert.deepEqual((await paymentsOf(twins)).slice(1), ['Further Action Required: confirmation'])
})

test('for 48 hours after a restored service is opened, an email is confirmed by a link: it may have been paid before', async t => {
  const own = await startMailWorld()
  t.after(() => own.stop())
  const { sql } = own.service.database
  const [another, ada] = [await own.newShop(), 'ada@example.org']
  await another.newCard(ada)
  const sends = async (openedHoursAgo: number) => {
    await writeSetting(sql, restoredSetting, { takenAt: new Date().toISOString() })
    await reopen(sql, new Date(Date.now() - openedHoursAgo * 3_600_000))
    const offer = await another.newOffer()
    await sendPersonal(own, another, ada, offer)
    const statuses = async () => {
      const rows = await sql<{ status: string }[]>`select status from transaction where offer_id = ${offer}`
      return rows.map(({ status }) => status)
    }
    await until('it is decided', async () => (await statuses()).some(status => status !== 'Processing'))
    return statuses()
  }
  assert.deepEqual(await sends(47.9), ['Further Action Required'])
  assert.deepEqual(await sends(48.1), ['Successful'])
  // Of one that is decided late, what counts is when it came.
  await sql`create function earlier() returns trigger language plpgsql as
    'begin new.received_at = new.received_at - interval ''1 hour''; return new; end'`
  await sql`create trigger earlier before insert on letter for each row execute function earlier()`
  assert.deepEqual(await sends(48.5), ['Further Action Required'])
  assert.deepEqual(await sends(49.5), ['Successful'])
})
