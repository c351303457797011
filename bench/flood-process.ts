// Floods a mail port with hostile mails, one connection each, as fast as they are answered: a process of its own, so that it takes
// no time from whoever measures. node flood-process.ts PORT CONNECTIONS, until it is killed. Prints how many were answered.

import { once } from 'node:events'
import { bringMail } from './bring-mail.ts'
import { hostileMails } from './hostile-mails.ts'

const [port = 0, connections = 1] = process.argv.slice(2).map(Number)
const pauseMs = 100

async function flood(first: number): Promise<never> {
  for (let at = first; ; at += 1) {
    const mail = hostileMails[at % hostileMails.length]
    const said = mail === undefined ? null : await bringMail(port, mail)
    if (said === null) await new Promise(resolve => setTimeout(resolve, pauseMs))
    else process.stdout.write(`${said.slice(0, 3)}\n`)
  }
}

process.stdout.on('error', () => process.exit())
await Promise.race([once(process, 'SIGTERM'), ...Array.from({ length: connections }, (_, first) => flood(first))])
