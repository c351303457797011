// The lines of a mail. They end with CRLF and with nothing else: where a CR or LF of its own is a line for one program and none
// for the next, one mail is two.

/** A CR without its LF, or a NUL: no mail program writes them. */
export function hasStrayBytes(mail: Buffer): boolean {
  if (mail.includes(0)) return true
  for (let at = mail.indexOf(13); at >= 0; at = mail.indexOf(13, at + 1)) if (mail[at + 1] !== 10) return true
  return false
}

export function hasBareLineFeed(mail: Buffer): boolean {
  for (let at = mail.indexOf(10); at >= 0; at = mail.indexOf(10, at + 1)) if (mail[at - 1] !== 13) return true
  return false
}

/** For mails from files and providers, who may keep lines the way of their own system. */
export function withCrlf(mail: Buffer): Buffer {
  if (!hasBareLineFeed(mail)) return mail
  return Buffer.from(mail.toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1')
}

export function hasMoreLines(mail: Buffer, linesMax: number): boolean {
  let count = 0
  for (let at = mail.indexOf(10); at >= 0 && count <= linesMax; at = mail.indexOf(10, at + 1)) count += 1
  return count > linesMax
}
