// What a stranger, without any credentials, can make the event loop work: the CPU time of the main thread for each request, with the
// worst input that we could construct for each thing that takes input; and what a merchant can, for bodies of many values. Linux
// alone: it is read from /proc.

import { readFile } from 'node:fs/promises'
import net from 'node:net'
import { startDns } from '../server/test/support/dns-server.ts'
import { hiddenIn } from '../server/test/support/plain-forms.ts'
import { bringMail } from './bring-mail.ts'
import { hostileMails } from './hostile-mails.ts'
import { hostilePolicyMails, policyReply } from './hostile-policies.ts'
import type { Result } from './result.ts'
import { openWorld, type World } from './world.ts'

const times = Number(process.env.TIMES ?? 20)
const msMax = 20
const idleMs = 20_000
const bodyChars = 65_000
const headerChars = 15_000
/** The kernel counts in hundredths of a second. */
const msPerTick = 10

type Ask = () => Promise<unknown>

export async function strangers(): Promise<Result> {
  const dns = await startDns(policyReply)
  const world = await openWorld({
    TILLBELL_MAIL_INBOUND_SECRET: 'secret',
    // Behind a proxy, so that each request can come from another address: what is told to wait costs nothing.
    TILLBELL_TRUSTED_PROXIES: '127.0.0.1/32',
    TILLBELL_DNS: dns.address,
  })
  const rows: { name: string; cpuMs: number }[] = []
  try {
    const idleShare = await idleShareOf(world)
    const farOffer = await world.client.makeOffer({ page_url: `https://shop.example/${'a'.repeat(2_000)}` })
    for (const [name, ask] of Object.entries(asks(world, farOffer, await formOf(world))))
      rows.push({ name, cpuMs: await cpuMsOf(world, idleShare, ask) })
  } finally {
    await world.close()
    await dns.close()
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

/** Of the main thread, for one request, after one that warms up; without what the service does by itself in that time. */
async function cpuMsOf(world: World, idleShare: number, ask: Ask): Promise<number> {
  await ask()
  const { cpuMs, tookMs } = await measured(world, async () => {
    for (let count = 0; count < times; count += 1) await ask()
  })
  return Math.round((Math.max(0, cpuMs - idleShare * tookMs) / times) * 10) / 10
}

/** Costly email waits for its thread: in a second, the service's own timers take as much as such a message. */
async function idleShareOf(world: World): Promise<number> {
  const { cpuMs, tookMs } = await measured(world, () => new Promise(resolve => setTimeout(resolve, idleMs)))
  return cpuMs / tookMs
}

async function measured(world: World, work: () => Promise<unknown>): Promise<{ cpuMs: number; tookMs: number }> {
  const [beforeMs, before] = [performance.now(), await ticksOf(world.service.pid)]
  await work()
  return { cpuMs: ((await ticksOf(world.service.pid)) - before) * msPerTick, tookMs: performance.now() - beforeMs }
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

/** What the page's form carries along, as the beginning of a body. */
async function formOf({ service, sheet }: World): Promise<string> {
  const page = await fetch(`${service.baseUrl}/offers/${sheet.offer}`)
  return new URLSearchParams(hiddenIn({ text: await page.text() })).toString()
}

function asks(world: World, farOffer: string, pageForm: string): { readonly [name: string]: Ask } {
  const { baseUrl } = world.service
  let asked = 0
  const ask =
    (path: string, init: RequestInit = {}) =>
    async () => {
      asked += 1
      const headers = { ...init.headers, 'x-forwarded-for': `198.18.${asked >> 8}.${asked & 255}` }
      const answer = await fetch(`${baseUrl}${path}`, { redirect: 'manual', ...init, headers })
      await answer.arrayBuffer()
    }
  const post = (path: string, type: string, body: string, more: { [name: string]: string } = {}) =>
    ask(path, { method: 'POST', body, headers: { 'content-type': type, ...more } })
  const form = 'application/x-www-form-urlencoded'
  const { offer } = world.sheet
  const names = Array.from({ length: 7_000 }, (_, at) => `a${at}=1`).join('&')
  const rest = '/api/v5/rest/transactions'
  const json = 'application/json'
  const registrations = '/token/registrations'
  const origin = { origin: baseUrl }
  return {
    'GET /healthz, to compare with': ask('/healthz'),
    'REST: form of many names': post(rest, form, names),
    'REST: escapes': post(rest, form, `a=${fill('%41')}`),
    'REST: JSON, deeply nested': post(rest, 'application/json', `{"a":${fill('[', 32_000)}${fill(']', 32_000)}}`),
    'REST: JSON of short texts': post(rest, 'application/json', `{"a":[${fill('"",')}1]}`),
    'REST: long Authorization': ask(rest, { headers: { authorization: `Basic ${fill('QUJD', headerChars)}` } }),
    'REST: long query': ask(`${rest}?${fill('a=1&', headerChars)}`),
    'REST: long path': ask(`/api/v5/rest/${fill('a/', headerChars)}`),
    'token registration': post(registrations, form, `token=@${fill('QUJD', 16_000)}@`),
    'token registration: many names': post(registrations, form, shortNames),
    'token registration: many names in JSON': post(registrations, json, jsonOfNames),
    'token registration: a name of card numbers': post(registrations, form, `${fill(nearlyCards)}=1`),
    'token registration: nested texts': post(registrations, json, nested('token', '"",')),
    'token registration: nested numbers': post(registrations, json, nested('token', '1,')),
    'token registration: nested objects': post(registrations, json, nested('token', '{},')),
    'token registration: a name twice, late': post(registrations, json, `{"token":[${fill('1,')}1],"token":1}`),
    'token registration: long query': ask(`${registrations}?${shortNames.slice(0, headerChars)}`, { method: 'POST' }),
    'page: form of many names': post(`/offers/${offer}`, form, names),
    'page: form of many empty names': post(`/offers/${offer}`, form, fill('a&')),
    'page: card of digits': post(`/offers/${offer}`, form, `number=${fill('4', 60_000)}&email=${fill('a@', 4_000)}`),
    'page: street of card numbers': post(`/offers/${offer}`, form, `${pageForm}&street=${fill(nearlyCards)}`),
    'page: languages': ask(`/offers/${offer}`, { headers: { 'accept-language': fill('xx-YY;q=0.1,', headerChars) } }),
    'page: cookies': ask(`/offers/${offer}`, { headers: { cookie: fill('a=b; ', headerChars) } }),
    'page: long query': ask(`/offers/${offer}?${fill('proof=1&', headerChars)}`),
    'QR code': ask(`/offers/${offer}.png`),
    'QR code of a long address': ask(`/offers/${farOffer}.png`),
    'QR code as SVG': ask(`/offers/${offer}.svg`),
    'docs: page': ask('/docs'),
    'docs: search': ask(`/docs/search?q=${fill('a+', 6_000)}`),
    'docs: search for the letter e': ask('/docs/search?q=e+t+a+o+i+n+s+r'),
    'docs: reference': ask('/docs/api'),
    'OpenAPI document': ask('/api/v5/openapi.json'),
    'gateway notice: XML': post('/gateways/gw_AAAAAAAAAAAAAAAAAAAAAA/events', 'application/xml', fill('<a>', 260_000)),
    'dashboard: sign in': post('/console/session', json, `{"email":"${fill('a', 60_000)}","password":"x"}`, origin),
    'dashboard: sign in, nested': post('/console/session', json, nested('email', '"",'), origin),
    'dashboard: sign in, many names': post('/console/session', form, shortNames, origin),
    ...ofMerchants(world, ask),
    ...pipelined(baseUrl, offer),
    ...chunked(world),
    'hook inbox': post('/inbox/x/y', form, `details=${fill('%7B', 60_000)}&signature=x`),
    'POST /mail/inbound without the secret': post('/mail/inbound', 'message/rfc822', fill('@', 1_000_000)),
    ...Object.fromEntries(
      [...hostileMails, ...hostilePolicyMails(`payment-id-${offer}@localhost`)].map(mail => [
        `mail of ${mail.name}`,
        () => bringMail(world.service.mailPort, mail),
      ]),
    ),
  }
}

/** Nineteen digits each, in the range of a brand: looked at, and no card's. */
const nearlyCards = '4929123123123123123x'

/** As many as a body holds: names of three characters. */
const shortNames = Array.from({ length: 16_200 }, (_, at) => at.toString(36).padStart(3, '0')).join('&')
const jsonOfNames = JSON.stringify(Object.fromEntries(Array.from({ length: 6_500 }, (_, at) => [`a${at}`, 1])))
const nested = (name: string, value: string) =>
  `{"${name}":${'['.repeat(30)}${fill(value)}1${']'.repeat(30)},"password":"x"}`

/** They have credentials, and share the event loop with others. */
function ofMerchants(
  { client }: World,
  ask: (path: string, init: RequestInit) => Ask,
): { readonly [name: string]: Ask } {
  const rest = (method: string, path: string, body: string, type = 'application/json') =>
    ask(`/api/v5/rest/${path}`, {
      method,
      body,
      headers: { 'content-type': type, authorization: client.authorization },
    })
  const offer = (members: string) => rest('POST', 'offers', `{"amount":"1.00",${members}}`)
  const form = 'application/x-www-form-urlencoded'
  return {
    'merchant: wrong sentences': rest('PATCH', 'mail_settings', `{"sentences":[${fill('1,')}1]}`),
    'merchant: 1,900 wrong sentences': rest('PATCH', 'mail_settings', `{"sentences":[${'1,'.repeat(1_900)}1]}`),
    'merchant: nested custom_data': offer(nested('custom_data', '"",').slice(1, -1)),
    'merchant: 9,000 values of custom_data': offer(`"custom_data":{"a":[${'1,'.repeat(9_000)}1]}`),
    'merchant: 9,900 texts of custom_data': offer(`"custom_data":{"a":[${'"",'.repeat(9_900)}1]}`),
    'merchant: 2,900 members in a form': rest('POST', 'offers', `amount=1&${formMembers}`, form),
    'merchant: custom_fields of numbers': offer(`"custom_fields":[${fill('1,')}1]`),
    'merchant: 9,900 custom_fields': offer(`"custom_fields":[${'{},'.repeat(9_900)}1]`),
    'merchant: custom_fields in a form': rest('POST', 'offers', `amount=1&custom_fields=[${fill('1,')}1]`, form),
    'merchant: many names': rest('POST', 'offers', jsonOfNames),
  }
}

const formMembers = Array.from({ length: 2_900 }, (_, at) => `custom_data[${at.toString(36)}]=`).join('&')

/** Ends when the service closes the connection. */
function sendBytes(baseUrl: string, bytes: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const socket = net.connect(Number(new URL(baseUrl).port), '127.0.0.1')
  socket.on('error', () => {}).on('close', () => resolve())
  socket.resume().write(bytes)
  return promise
}

/** As many requests as a chunk holds, in one write. */
function pipelined(baseUrl: string, offer: string): { readonly [name: string]: Ask } {
  let sent = 0
  const send = (path: string, headers = 'Host:a\r\n') => {
    return () => {
      sent += 1
      const from = `X-Forwarded-For: 198.20.${sent >> 8}.${sent & 255}\r\n`
      return sendBytes(baseUrl, fill(`GET ${path} HTTP/1.1\r\n${headers}${from}\r\n`))
    }
  }
  return {
    'pipelined: /healthz': send('/healthz'),
    'pipelined: without Host': send('/', ''),
    'pipelined: nothing there': send('/a'),
    'pipelined: OpenAPI document': send('/api/v5/openapi.json'),
    'pipelined: docs search': send('/docs/search?q=e+t+a+o+i+n+s+r'),
    'pipelined: page': send(`/offers/${offer}`),
  }
}

/** Bodies of 60,000 chunks of one byte, from another address each time. */
function chunked({ service: { baseUrl }, sheet: { offer } }: World): { readonly [name: string]: Ask } {
  const body = `${'1\r\na\r\n'.repeat(60_000)}0\r\n\r\n`
  let asked = 0
  const send =
    (line: string, type = 'application/x-www-form-urlencoded') =>
    () => {
      asked += 1
      const from = `X-Forwarded-For: 198.19.${asked >> 8}.${asked & 255}`
      const headers = `Host: a\r\nOrigin: ${baseUrl}\r\n${from}\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked`
      return sendBytes(baseUrl, `${line} HTTP/1.1\r\n${headers}\r\n\r\n${body}`)
    }
  return {
    'chunks of a byte: page': send(`POST /offers/${offer}`),
    'chunks of a byte: token registration': send('POST /token/registrations'),
    'chunks of a byte: gateway notice': send('POST /gateways/gw_AAAAAAAAAAAAAAAAAAAAAA/events'),
    'chunks of a byte: REST without credentials': send('POST /api/v5/rest/transactions'),
    'chunks of a byte: POST /mail/inbound without the secret': send('POST /mail/inbound', 'message/rfc822'),
    'chunks of a byte: sign-in': send('POST /console/session', 'application/json'),
    'chunks of a byte: nothing there': send('POST /a'),
    'chunks of a byte: GET of the docs': send('GET /docs'),
  }
}
