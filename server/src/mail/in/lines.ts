// The lines of a mail. They end with CRLF and with nothing else: where a CR or LF of its own is a line for one program and none
// for the next, one mail is two.

// Byte by byte: asking for the next line end again and again takes ten times as long where there are many.

/** A CR without its LF, or a NUL: no mail program writes them. */
export function hasStrayBytes(mail: Buffer): boolean {
  for (let at = 0; at < mail.length; at += 1) {
    const byte = mail[at]
    if (byte === 0 || (byte === 13 && mail[at + 1] !== 10)) return true
  }
  return false
}

export function hasBareLineFeed(mail: Buffer): boolean {
  for (let at = 0; at < mail.length; at += 1) if (mail[at] === 10 && mail[at - 1] !== 13) return true
  return false
}

/** For mails from files and providers, who may keep lines the way of their own system. */
export function withCrlf(mail: Buffer): Buffer {
  if (!hasBareLineFeed(mail)) return mail
  return Buffer.from(mail.toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1')
}

export function hasMoreLines(mail: Buffer, linesMax: number): boolean {
  let count = 0
  for (let at = 0; at < mail.length; at += 1) if (mail[at] === 10) count += 1
  return count > linesMax
}
