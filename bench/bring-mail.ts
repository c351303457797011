// Brings one mail over SMTP, on a connection of its own.

import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import type { HostileMail } from './hostile-mails.ts'

/** The server's last line; null: it hung up, or refused before there was a mail. */
export async function bringMail(port: number, mail: HostileMail): Promise<string | null> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  const lines = createInterface(socket)[Symbol.asyncIterator]()
  const hear = async () => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done === true) return null
      if (!/^\d{3}-/.test(value)) return String(value)
    }
  }
  const { to, from = 'ada@shop.test', helo = 'flood.test' } = mail
  try {
    await hear()
    for (const command of [`EHLO ${helo}`, `MAIL FROM:<${from}>`, `RCPT TO:<${to}>`, 'DATA']) {
      socket.write(`${command}\r\n`)
      if (!/^[23]/.test((await hear()) ?? '')) return null
    }
    socket.write(mail.data)
    return await hear()
  } finally {
    socket.destroy()
  }
}
