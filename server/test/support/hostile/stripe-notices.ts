// Notices that are said to be Stripe's. None is believed that was not signed with the webhook's secret, just now, as it is; and of one that
// was, only what it says is taken.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readNotice } from '../../../src/gateways/stripe/notices.ts'
import { jsonSpices } from './bodies.ts'
import { type Chance, pick } from './chance.ts'
import { damaged, shorter } from './damage.ts'
import type { Fuzzed } from './fuzz.ts'
import { nothingLeaks } from './leaks.ts'

const secret = 'whsec_ours'
const toleranceS = 300
const types = [
  'payment_intent.succeeded',
  'charge.refunded',
  'charge.dispute.closed',
  'payment_method.updated',
  'x',
  '__proto__',
]
const things = [
  ...[
    { object: 'payment_intent', id: 'pi_1' },
    { object: 'charge', id: 'ch_1', payment_intent: { id: 'pi_2' } },
  ],
  ...[
    { object: 'dispute', payment_intent: 'pi_3' },
    { object: 'payment_method', id: 'pm_1', customer: 'cus_1' },
    null,
    [],
    'x',
  ],
]
const headerSpices = [
  't=',
  'v1=',
  'v0=',
  ',',
  '=',
  '-1',
  '99999999999',
  'NaN',
  '0x10',
  ' ',
  '\0',
  'v1=00,',
  'T=1,',
  '1e9',
  '\xff',
]

interface Notice {
  readonly body: string
  readonly signature: string
}

const hmac = (text: string, key: string) => createHmac('sha256', key).update(text).digest('hex')

/** Some are changed before they are signed, as nobody but Stripe could; most after. */
function make(chance: Chance): Notice {
  const event = JSON.stringify({
    id: 'evt_1',
    object: 'event',
    type: pick(types, chance),
    data: { object: pick(things, chance) },
  })
  const said = chance(3) === 0 ? damaged(event, chance, jsonSpices) : event
  const agoS = pick([0, 0, 0, 10, 299, 400, 86_400, -60], chance)
  const t = Math.floor(Date.now() / 1_000) - agoS
  const key = chance(6) === 0 ? 'whsec_other' : secret
  const signature = `t=${t},v1=${hmac(`${t}.${utf8(said)}`, key)}`
  const way = chance(4)
  if (way === 0) return { body: damaged(said, chance, jsonSpices), signature }
  return { body: said, signature: way === 1 ? damaged(signature, chance, headerSpices) : signature }
}

/** As Stripe's own library reads it: a byte order mark before the text is no part of it. */
const utf8 = (bytes: string) => new TextDecoder().decode(Buffer.from(bytes, 'latin1'))

/** Whether any of the times that it names is recent and signed with this body. */
function isOurs({ body, signature }: Notice): boolean {
  const parts = signature.split(',').map(part => part.split('='))
  const named = (wanted: string) => parts.filter(([name]) => name === wanted).map(([, value = '']) => value)
  const oldestS = Date.now() / 1_000 - toleranceS - 2 // as long as a case may take
  return named('t').some(t => {
    const isRecent = Number.parseInt(t, 10) >= oldestS
    return isRecent && named('v1').includes(hmac(`${Number.parseInt(t, 10)}.${utf8(body)}`, secret))
  })
}

async function hold(given: Notice): Promise<string> {
  const notice = await readNotice(Buffer.from(given.body, 'latin1'), { 'stripe-signature': given.signature }, secret)
  if (notice.kind === 'not_authentic') {
    assert.match(notice.sentence, /^The notice .+\.$/)
    nothingLeaks(notice.sentence, [secret])
    return 'refused'
  }
  assert.ok(isOurs(given), 'it is believed, and was not signed')
  const said = JSON.parse(utf8(given.body))
  const { id, payment_intent: payment } = said?.data?.object ?? {}
  if (notice.kind === 'payment') assert.ok([id, payment, payment?.id].includes(notice.chargeRef))
  if (notice.kind === 'payment') assert.match(notice.chargeRef, /^\w+$/, 'the database can be asked for it')
  if (notice.kind === 'card') assert.equal(notice.cardRef, `${said.data.object.customer}/${said.data.object.id}`)
  return notice.kind
}

export function open(): Fuzzed<Notice> {
  return {
    make,
    hold,
    *smaller({ body, signature }) {
      for (const less of shorter(body)) yield { body: less, signature }
      for (const less of shorter(signature)) yield { body, signature: less }
    },
    shown: ({ body, signature }) => `${JSON.stringify(body)} signed ${JSON.stringify(signature)}`,
  }
}
