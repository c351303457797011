// What a stranger, without any credentials, can make the event loop work: the CPU time of the main thread for each request, with the
// worst input that we could construct for each thing that takes input. Linux alone: it is read from /proc.

import { readFile } from 'node:fs/promises'
import { bringMail } from './bring-mail.ts'
import { type HostileMail, hostileMails } from './hostile-mails.ts'
import type { Result } from './result.ts'
import { openWorld, type World } from './world.ts'

const times = Number(process.env.TIMES ?? 20)
const msMax = 20
const bodyChars = 65_000
const headerChars = 15_000
/** The kernel counts in hundredths of a second. */
const msPerTick = 10

type Ask = () => Promise<unknown>

export async function strangers(): Promise<Result> {
  const world = await openWorld({ TILLBELL_MAIL_INBOUND_SECRET: 'secret' })
  const rows: { name: string; cpuMs: number }[] = []
  try {
    for (const [name, ask] of Object.entries(asks(world))) rows.push({ name, cpuMs: await cpuMsOf(world, ask) })
  } finally {
    await world.close()
  }
  const worst = Math.max(...rows.map(({ cpuMs }) => cpuMs))
  return {
    name: 'strangers',
    title: 'What a stranger’s request costs the event loop, at worst',
    bars: rows.map(({ name, cpuMs }) => ({ label: name, value: cpuMs, unit: 'ms', kind: 'ours' })),
    settings: { times },
    rows,
    goals: [{ goal: `every request ≤ ${msMax} ms of the event loop`, value: worst, met: worst <= msMax }],
  }
}

/** Of the main thread, for one request, after one that warms up. */
async function cpuMsOf(world: World, ask: Ask): Promise<number> {
  await ask()
  const before = await ticksOf(world.service.pid)
  for (let count = 0; count < times; count += 1) await ask()
  return ((await ticksOf(world.service.pid)) - before) * (msPerTick / times)
}

/** User and system time: the 14th and 15th field, after a name that may have blanks. */
async function ticksOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/task/${pid}/stat`, 'utf8')
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number)
  return user + system
}

const fill = (piece: string, chars = bodyChars) => piece.repeat(Math.floor(chars / piece.length))

function asks(world: World): { readonly [name: string]: Ask } {
  const { baseUrl } = world.service
  const ask =
    (path: string, init: RequestInit = {}) =>
    async () => {
      const answer = await fetch(`${baseUrl}${path}`, { redirect: 'manual', ...init })
      await answer.arrayBuffer()
    }
  const post = (path: string, type: string, body: string, more: { [name: string]: string } = {}) =>
    ask(path, { method: 'POST', body, headers: { 'content-type': type, ...more } })
  const form = 'application/x-www-form-urlencoded'
  const { offer } = world.sheet
  const names = Array.from({ length: 7_000 }, (_, at) => `a${at}=1`).join('&')
  const rest = '/api/v5/rest/transactions'
  return {
    'GET /healthz, to compare with': ask('/healthz'),
    'REST: form of many names': post(rest, form, names),
    'REST: escapes': post(rest, form, `a=${fill('%41')}`),
    'REST: JSON, deeply nested': post(rest, 'application/json', `{"a":${fill('[', 32_000)}${fill(']', 32_000)}}`),
    'REST: JSON of short texts': post(rest, 'application/json', `{"a":[${fill('"",')}1]}`),
    'REST: long Authorization': ask(rest, { headers: { authorization: `Basic ${fill('QUJD', headerChars)}` } }),
    'REST: long query': ask(`${rest}?${fill('a=1&', headerChars)}`),
    'REST: long path': ask(`/api/v5/rest/${fill('a/', headerChars)}`),
    'token registration': post('/api/v5/rest/token/registrations', form, `token=@${fill('QUJD', 16_000)}@`),
    'page: form of many names': post(`/offers/${offer}`, form, names),
    'page: card of digits': post(`/offers/${offer}`, form, `number=${fill('4', 60_000)}&email=${fill('a@', 4_000)}`),
    'page: languages': ask(`/offers/${offer}`, { headers: { 'accept-language': fill('xx-YY;q=0.1,', headerChars) } }),
    'page: cookies': ask(`/offers/${offer}`, { headers: { cookie: fill('a=b; ', headerChars) } }),
    'page: long query': ask(`/offers/${offer}?${fill('proof=1&', headerChars)}`),
    'QR code': ask(`/offers/${offer}.png`),
    'QR code as SVG': ask(`/offers/${offer}.svg`),
    'docs: page': ask('/docs'),
    'docs: search': ask(`/docs/search?q=${fill('a+', 6_000)}`),
    'docs: search for the letter e': ask('/docs/search?q=e+t+a+o+i+n+s+r'),
    'docs: reference': ask('/docs/api'),
    'OpenAPI document': ask('/api/v5/openapi.json'),
    'gateway notice: XML': post('/gateways/gw_AAAAAAAAAAAAAAAAAAAAAA/events', 'application/xml', fill('<a>', 260_000)),
    'dashboard: sign in': post(
      '/console/session',
      'application/json',
      `{"email":"${fill('a', 60_000)}","password":"x"}`,
    ),
    'hook inbox': post('/inbox/x/y', form, `details=${fill('%7B', 60_000)}&signature=x`),
    'POST /mail/inbound without the secret': post('/mail/inbound', 'message/rfc822', fill('@', 1_000_000)),
    ...Object.fromEntries(
      hostileMails.map((mail: HostileMail) => [`mail of ${mail.name}`, () => bringMail(world.service.mailPort, mail)]),
    ),
  }
}
