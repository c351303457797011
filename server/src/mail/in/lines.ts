// The lines of a mail. They end with CRLF and with nothing else: where a CR or LF of its own is a line for one program and none
// for the next, one mail is two.

// Whoever reads a message takes time for each line, however short. A megabyte of base64 has 14,000 lines.
const linesMax = 20_000

export function hasTooManyLines(mail: Buffer): boolean {
  let count = 0
  for (let at = mail.indexOf(0x0a); at !== -1 && count <= linesMax; at = mail.indexOf(0x0a, at + 1)) count += 1
  return count > linesMax
}

// Patterns, because this is done in the event loop: for a megabyte they take half a millisecond. Looking at each byte takes five, and
// so does a search for each of many line ends.
const strayBytes = /\0|\r(?!\n)/
const bareLineFeed = /(?<!\r)\n/

/** A CR without its LF, or a NUL: no mail program writes them. */
export function hasStrayBytes(mail: Buffer): boolean {
  return strayBytes.test(mail.toString('latin1'))
}

export function hasBareLineFeed(mail: Buffer): boolean {
  return bareLineFeed.test(mail.toString('latin1'))
}

/** For mails from files and providers, who may keep lines the way of their own system. */
export function withCrlf(mail: Buffer): Buffer {
  if (!hasBareLineFeed(mail)) return mail
  return Buffer.from(mail.toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1')
}
