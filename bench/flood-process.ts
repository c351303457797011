// Floods a mail port with hostile mails, or a service with requests for what anybody may ask for, one at a time on each connection, as
// fast as they are answered: a process of its own, so that it takes no time from whoever measures. It runs until it is killed, and
// prints a line for each answer.
// node flood-process.ts CONNECTIONS mails PORT
// node flood-process.ts CONNECTIONS pages BASE_URL OFFER
// node flood-process.ts CONNECTIONS refused PORT

import { once } from 'node:events'
import net from 'node:net'
import { bringMail } from './bring-mail.ts'
import { hostileMails } from './hostile-mails.ts'

const [connections = '1', kind = '', where = '', offer = ''] = process.argv.slice(2)
const pauseMs = 100

/** What was answered; null: nothing. */
type Send = (count: number) => Promise<string | null>

const mails: Send = async count => {
  const mail = hostileMails[count % hostileMails.length]
  const said = mail === undefined ? null : await bringMail(Number(where), mail)
  return said?.slice(0, 3) ?? null
}

const paths = ['/docs/search?q=e+t+a+o+i+n+s+r', `/offers/${offer}.png`, `/offers/${offer}`, '/api/v5/openapi.json']

const pages: Send = async count => {
  const answer = await fetch(`${where}${paths[count % paths.length]}`)
  await answer.arrayBuffer()
  return String(answer.status)
}

/** As many header fields as are read, on a connection of its own that stays open. */
const fields = Array.from({ length: 90 }, (_, at) => `x-${at}: 1\r\n`).join('')
const request = `GET /healthz HTTP/1.1\r\nHost: a\r\n${fields}\r\n`

async function askAgainAndAgain(): Promise<void> {
  const socket = net.connect(Number(where), '127.0.0.1')
  socket
    .on('error', () => {})
    .on('data', (answer: Buffer) => {
      process.stdout.write(`${answer.toString('latin1', 9, 12)}\n`)
      socket.write(request)
    })
  socket.write(request)
  await once(socket, 'close')
}

async function floodRefused(): Promise<never> {
  for (;;) {
    await askAgainAndAgain()
    await new Promise(resolve => setTimeout(resolve, pauseMs))
  }
}

async function flood(first: number): Promise<never> {
  const send = kind === 'pages' ? pages : mails
  for (let at = first; ; at += 1) {
    const said = await send(at).catch(() => null)
    if (said === null) await new Promise(resolve => setTimeout(resolve, pauseMs))
    else process.stdout.write(`${said}\n`)
  }
}

process.stdout.on('error', () => process.exit())
await Promise.race([
  once(process, 'SIGTERM'),
  ...Array.from({ length: Number(connections) }, (_, first) => (kind === 'refused' ? floodRefused() : flood(first))),
])
