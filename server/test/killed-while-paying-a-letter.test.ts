// The promise: whoever pays a letter may be killed or stopped at any step, and whoever takes it in too. Afterwards it has
// come to one transaction, the gateway's ledger and ours agree, and the merchant and the customer were told what is true.
//
// Each worker has several letters in hand when it dies, each held at another step. The next one finds them all as it
// starts, pays them, and is the next to die: to start one takes longer than everything else here.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { confirmationLink, openLink } from './support/confirm.ts'
import { openGate } from './support/gate.ts'
import { type HeldAt, holdCommits } from './support/held-commit.ts'
import { cameTo, ends, type LetterEnd, mailsTo, theBooksAgree } from './support/letter-ends.ts'
import {
  type Buyer,
  buryWorkers,
  envelopeOf,
  everythingIsDone,
  type HeldConfirmation,
  type HeldLetter,
  holdConfirmations,
  holdLetters,
  type LetterWorld,
  newBuyer,
  newBuyerOverLimit,
  newBuyerToConfirm,
  newMail,
  openLetterWorld,
  post,
} from './support/letter-world.ts'
import { send } from './support/mailbox.ts'
import type { ServiceProcess } from './support/process.ts'
import { until } from './support/until.ts'

let world: LetterWorld
let worker: ServiceProcess
before(async () => {
  world = await openLetterWorld()
  worker = await world.spawnVictim()
})
after(async () => {
  await worker.kill()
  await world.close()
})

interface Step extends Omit<HeldLetter, 'buyer'> {
  readonly name: string
  readonly end: LetterEnd
  /** What says what is paid: a token, unless told. */
  readonly by?: 'token' | 'address'
  /** How often the last mail of it arrives; 1 unless told. */
  readonly arrives?: number
}

const ahead = (table: HeldAt['table'], on: HeldAt['on']): HeldAt => ({ table, on, moment: 'before' })
const within = (table: HeldAt['table'], on: HeldAt['on']): HeldAt => ({ table, on, moment: 'committing' })
const { paid, failed, asked, goneOn } = ends
const signed = 'not signed'
const hasPreSale = true
const by = 'address'

const rounds: { readonly [flow: string]: readonly Step[] } = {
  'a letter': [
    { name: 'before the first commit', at: ahead('transaction', 'insert'), end: paid, by },
    { name: 'in the first commit', at: within('transaction', 'insert'), end: paid, by },
    { name: 'when the request is on its way to the gateway', at: 'request', end: paid, by },
    { name: 'when the answer is on its way back', at: 'answer', end: paid, by },
  ],
  'a letter with its outcome known, and one without proof,': [
    { name: 'before the outcome is committed', at: ahead('operation', 'update'), end: paid },
    { name: 'when the outcome is being committed', at: within('operation', 'update'), end: paid },
    { name: 'before it is asked for proof', at: ahead('transaction', 'insert'), end: asked, signed },
    { name: 'when it is being asked for proof', at: within('transaction', 'insert'), end: asked, signed },
  ],
  'a letter that goes on with another, and a receipt,': [
    { name: 'before it goes on', at: ahead('transaction', 'update'), end: goneOn },
    { name: 'when its going on is being committed', at: within('transaction', 'update'), end: goneOn },
    { name: 'when it has arrived, and nobody here knows', at: 'receipt', end: paid, arrives: 2 },
    { name: 'when that it was sent is being committed', at: within('outgoing_mail', 'update of state'), end: paid },
  ],
  'a letter with Pre-Sale': [
    { name: 'before the first commit', hasPreSale, at: ahead('transaction', 'insert'), end: paid },
    { name: 'while it is asked', hasPreSale, at: 'Pre-Sale', end: failed },
    { name: "before the operation's row is committed", hasPreSale, at: ahead('operation', 'insert'), end: failed },
    { name: "when the operation's row is being committed", hasPreSale, at: within('operation', 'insert'), end: paid },
  ],
  'a letter with Pre-Sale, early or late,': [
    { name: 'in the first commit', hasPreSale, at: within('transaction', 'insert'), end: failed },
    { name: 'before the outcome is committed', hasPreSale, at: ahead('operation', 'update'), end: paid },
    { name: 'when the request is on its way to the gateway', hasPreSale, at: 'request', end: paid },
    { name: 'when the answer is on its way back', hasPreSale, at: 'answer', end: paid },
  ],
}

async function lettersFor(steps: readonly Step[]): Promise<(Step & HeldLetter)[]> {
  const letters: (Step & HeldLetter)[] = []
  for (const step of steps) {
    const buyer = await (step.end === goneOn ? newBuyerOverLimit(world) : newBuyer(world, step.by ?? 'token'))
    letters.push({ ...step, buyer })
  }
  return letters
}

for (const [flow, steps] of Object.entries(rounds)) {
  test(`${flow} killed`, async t => {
    const letters = await lettersFor(steps)
    const held = await holdLetters(world, letters)
    await worker.kill('SIGKILL')
    held.releaseMessages()
    await held.releaseCommits()
    await buryWorkers(world)
    worker = await world.spawnVictim()
    await everythingIsDone(world)
    for (const { name, buyer, end, arrives = 1 } of letters) {
      await t.test(name, async () => {
        await cameTo(world, buyer, end)
        assert.equal(mailsTo(world, buyer.email).length, end.mails.length - 1 + arrives)
      })
    }
    await t.test('and the books agree', () => theBooksAgree(world))
  })
}

type ConfirmSteps = { readonly [name: string]: HeldAt | 'request' | 'answer' }

const confirmRounds: { readonly [moment: string]: ConfirmSteps } = {
  'before the gateway has it': {
    'before it goes on': ahead('transaction', 'update'),
    'when its going on is being committed': within('transaction', 'update'),
    'when the request is on its way to the gateway': 'request',
  },
  'after the gateway has it': {
    'before the outcome is committed': ahead('operation', 'update'),
    'when the outcome is being committed': within('operation', 'update'),
    'when the answer is on its way back': 'answer',
  },
}

for (const [moment, steps] of Object.entries(confirmRounds)) {
  test(`a confirmation on the page killed ${moment}: pressed again, it pays once`, async t => {
    let pager = await world.spawnVictim('pages')
    t.after(() => pager.kill())
    const confirming: (HeldConfirmation & { readonly name: string })[] = []
    for (const [name, at] of Object.entries(steps)) {
      const buyer = await newBuyerToConfirm(world)
      const link = new URL(await confirmationLink(world.relay, buyer.email))
      const page = await openLink(`${pager.baseUrl}${link.pathname}${link.search}`)
      confirming.push({ name, buyer, page, at })
    }
    const held = await holdConfirmations(world, confirming)
    await pager.kill('SIGKILL')
    held.releaseMessages()
    await held.releaseCommits()
    await buryWorkers(world)
    // What time does: the dead process holds the turn of its checkouts no longer.
    await world.database.sql`update checkout set taken_until = now() - interval '1 second'`
    await everythingIsDone(world)
    pager = await world.spawnVictim('pages')
    for (const { page } of confirming) assert.equal((await page.press(pager.baseUrl)).status, 303)
    await everythingIsDone(world)
    for (const { name, buyer } of confirming) await t.test(name, () => cameTo(world, buyer, ends.confirmed))
    await t.test('and the books agree', () => theBooksAgree(world))
  })
}

test('a worker that stands still while another pays its letters charges nothing when it goes on', async () => {
  const letters = await lettersFor([
    { name: 'the first commit', at: ahead('transaction', 'insert'), end: paid, by },
    { name: 'being asked for proof', at: ahead('transaction', 'insert'), end: asked, signed, by },
    { name: "the operation's row", hasPreSale, at: ahead('operation', 'insert'), end: failed },
    { name: 'the request', at: 'request', end: paid },
  ])
  const held = await holdLetters(world, letters)
  const sleeper = worker
  sleeper.child.kill('SIGSTOP')
  await held.releaseCommits()
  await buryWorkers(world)
  worker = await world.spawnVictim()
  await everythingIsDone(world)
  held.releaseMessages()
  sleeper.child.kill('SIGCONT')
  // It ends when all that it has in hand is done.
  await sleeper.kill('SIGTERM')
  await everythingIsDone(world)
  for (const { buyer, end } of letters) await cameTo(world, buyer, end)
  await theBooksAgree(world)
})

test('a worker that loses its connection while it looks at a letter looks again at once', async () => {
  const { sql } = world.database
  const buyer = await newBuyer(world, by)
  await sql.begin(async scope => {
    await scope`set local idle_in_transaction_session_timeout = 0`
    await scope`select from customer where email = ${buyer.email} for update`
    assert.match(await post(world, buyer), /^250 /)
    const cutOff = () => sql`select pg_terminate_backend(pid) from pg_locks where not granted
      and pid in (select pid from pg_stat_activity where datname = current_database())`
    await until('it was cut off', async () => (await cutOff()).length > 0)
  })
  await everythingIsDone(world)
  await cameTo(world, buyer, paid)
})

test('a mail whose 250 was never heard is sent again, and is one letter, however far the first had come', async () => {
  const [uncommitted, committing, committed] = [
    { buyer: await newBuyer(world, by), at: ahead('letter', 'insert') },
    { buyer: await newBuyer(world, by), at: within('letter', 'insert') },
    { buyer: await newBuyer(world, by) },
  ]
  const buyers = [uncommitted, committing, committed].map(({ buyer }) => buyer)
  const mails = new Map<Buyer, Buffer>()
  for (const buyer of buyers) mails.set(buyer, await newMail(world, buyer, 'signed'))
  const bring = (buyer: Buyer, port: number, beforeEnd?: () => void) =>
    send(port, mails.get(buyer) ?? assert.fail(), envelopeOf(buyer), beforeEnd).catch(() => 'lost')
  const gate = await openGate(world.front.mailPort)
  const held = [uncommitted, committing]
  const commits = await holdCommits(
    world.database.sql,
    held.map(({ buyer, at }) => ({ ...at, offer: buyer.offer })),
  )
  const said = held.map(({ buyer }) => bring(buyer, gate.port))
  try {
    await commits.reached(held.length)
    await new Promise<void>(resolve => {
      said.push(bring(committed.buyer, gate.port, () => resolve(gate.holdNext('answer').reached)))
    })
  } finally {
    await world.front.kill('SIGKILL')
    await gate.close()
    await commits.release()
  }
  assert.deepEqual(await Promise.all(said), ['lost', 'lost', 'lost'])
  world.front = await world.spawnVictim('api,mail')
  for (const buyer of buyers) assert.match(await bring(buyer, world.front.mailPort), /^250 /)
  await everythingIsDone(world)
  for (const buyer of buyers) await cameTo(world, buyer, paid)
  await theBooksAgree(world)
})
