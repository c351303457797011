// Mails of a megabyte, each made to be hard to read in another way: what a stranger can send without any credentials.

const bytes = 1_040_000
const to = 'transaction@localhost'

const fill = (piece: string, length = bytes) => piece.repeat(Math.floor(length / piece.length))
const html = (body: string) => `Content-Type: text/html\r\n\r\n${body}`
const base64 = (text: string) => Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\r\n')
const inParts = (part: string) => `Content-Type: multipart/mixed; boundary=b\r\n\r\n${part.repeat(490)}`
const nested = Array.from(
  { length: 31 },
  (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`,
)
const signature = `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=shop.test; s=a; h=from; bh=eA==; b=eA==\r\n`

/** By what they are full of: fields of the header that are left, a blank line, and the body. */
const contents: { readonly [name: string]: string } = {
  '@': `\r\n${fill('@')}`,
  'lines of @': `\r\n${fill(`${'@'.repeat(70)}\r\n`)}`,
  '@ as HTML': html(fill('@')),
  '<': html(fill('<')),
  tags: html(fill('<b>')),
  entities: html(fill('&amp;')),
  'quoted-printable': `Content-Transfer-Encoding: quoted-printable\r\n\r\n${fill('=40')}`,
  base64: `Content-Transfer-Encoding: base64\r\n\r\n${base64(fill('@', bytes * 0.7))}`,
  'short lines': `\r\n${fill('on:\r\n', 19_900 * 5)}`,
  'lines that quote': `\r\n${fill(`on ${'wrote '.repeat(8)}:x\r\n`, 19_900 * 55)}`,
  digits: `\r\n${fill('4')}`,
  parts: inParts(`--b\r\nContent-Type: text/html\r\n\r\n${'@'.repeat(2_000)}\r\n`),
  nesting: `${nested.join('')}\r\n${fill('@', 990_000)}`,
  signatures: `${signature.repeat(10)}\r\n${fill('word '.repeat(14).concat('\r\n'))}`,
  'header fields': `${fill(`X: ${'y'.repeat(25)}\r\n`, 59_000)}\r\n${fill('@', 900_000)}`,
  addresses: `Cc: ${fill('a@b.test, ', 8_000)}c@d.test\r\n\r\n${fill('@', 900_000)}`,
  'marks on one letter': `Content-Type: text/plain; charset=windows-1258\r\n\r\na${fill('\u00ec', 32_000)}\u00ad${fill('\u00f2', 32_000)}\r\n`,
  'quotes that do not end': `${signature.repeat(10)}Cc: ${fill('\\"', 8_180)}\r\n\r\nPay.\r\n`,
  'doubled dots': `\r\n${fill('.\r\n')}`,
}

export interface HostileMail {
  readonly name: string
  readonly to: string
  /** Of the envelope. */
  readonly from?: string
  readonly helo?: string
  /** As it is sent after DATA, with its dots doubled, and its end. */
  readonly data: Buffer
}

export const hostileMails: readonly HostileMail[] = Object.entries(contents).map(([name, content]) => {
  const mail = `From: ada@shop.test\r\nTo: ${to}\r\nDate: Sun, 15 Nov 2026 10:00:00 +0000\r\nMessage-ID: <1@shop.test>\r\n${content}`
  return { name, to, data: Buffer.from(`${mail.slice(0, bytes).replace(/^\./gm, '..')}\r\n.\r\n`, 'latin1') }
})
