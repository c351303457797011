// The lines of a mail. They end with CRLF and with nothing else: where a CR or LF of its own is a line for one program and none
// for the next, one mail is two.

const lf = 0x0a
const cr = 0x0d

// Whoever reads a message takes time for each line, however short. A megabyte of base64 has 14,000 lines.
const linesMax = 20_000

// Native searches: looking at each byte of a megabyte here takes milliseconds. They take long where there are many hits, so whether
// there are too many lines is asked first.

export function hasTooManyLines(mail: Buffer): boolean {
  let count = 0
  for (let at = mail.indexOf(lf); at !== -1 && count <= linesMax; at = mail.indexOf(lf, at + 1)) count += 1
  return count > linesMax
}

/** A CR without its LF, or a NUL: no mail program writes them. */
export function hasStrayBytes(mail: Buffer): boolean {
  if (mail.includes(0)) return true
  for (let at = mail.indexOf(cr); at !== -1; at = mail.indexOf(cr, at + 2)) if (mail[at + 1] !== lf) return true
  return false
}

export function hasBareLineFeed(mail: Buffer): boolean {
  for (let at = mail.indexOf(lf); at !== -1; at = mail.indexOf(lf, at + 1)) if (mail[at - 1] !== cr) return true
  return false
}

/** For mails from files and providers, who may keep lines the way of their own system. */
export function withCrlf(mail: Buffer): Buffer {
  if (!hasBareLineFeed(mail)) return mail
  return Buffer.from(mail.toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1')
}
