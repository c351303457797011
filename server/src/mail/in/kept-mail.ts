// What of a mail is kept, sealed, for the days in which somebody may ask what came: its header and its text, without card numbers.
// What is attached is never kept. In plain text numbers are masked. In what is encoded (base64, quoted-printable, tags between
// digits) they cannot be masked without writing the mail anew: then only its header is kept.

import PostalMime, { decodeWords } from 'postal-mime'
import { maskCardNumbers } from '../../core/card-number.ts'
import { everyReading } from './every-reading.ts'
import { htmlWords } from './html-words.ts'
import { withCrlf } from './lines.ts'

const limits = { maxNestingDepth: 32, maxHeadersSize: 512 * 1024, maxRfc822NestingDepth: 0 }
const notKept = '[What it said held a card number, or could not be read, and was not kept.]'
const notAttached = '[What was attached was not kept. It said:]'
const notWhole = '[It was too long to be kept as it came. It said, or began with:]'
const headerBytesMax = 64 * 1024
/** Of a body, and of each of its parts. */
const keptBytesMax = 64 * 1024

/** As text of bytes, which `latin1` makes bytes again. */
export async function keptMail(given: Buffer): Promise<string> {
  const mail = withCrlf(given)
  const blank = mail.indexOf('\r\n\r\n')
  const bodyStart = blank < 0 ? mail.length : blank
  const header = maskCardNumbers(mail.toString('latin1', 0, Math.min(bodyStart, headerBytesMax)))
  return `${withoutNumbers(header)}${blank < 0 ? '' : await keptBody(mail, bodyStart)}`
}

/** Words of a header may be encoded as well: a field that hides a number goes. */
function withoutNumbers(header: string): string {
  const fields = header.split(/\r\n(?![ \t])/).filter(field => {
    const unfolded = field.replace(/\r\n/g, '')
    return isClean(unfolded) && isClean(decodeWords(unfolded)) && isClean(percentDecoded(unfolded))
  })
  return fields.join('\r\n')
}

/** With the blank line before it. */
async function keptBody(mail: Buffer, bodyStart: number): Promise<string> {
  const isLong = mail.length - bodyStart > keptBytesMax
  const body = isLong ? '' : maskCardNumbers(mail.toString('latin1', bodyStart))
  const readable = isLong ? mail : Buffer.concat([mail.subarray(0, bodyStart), Buffer.from(body, 'latin1')])
  const email = await PostalMime.parse(readable, limits).catch(() => null)
  if (email === null) return `\r\n\r\n${notKept}\r\n`
  const [text, html] = [email.text, email.html].map(part => part?.slice(0, keptBytesMax))
  const shown = htmlWords(html ?? '').all
  const isWhole = !isLong && email.attachments.length === 0
  const readings = isWhole ? everyReading(body) : []
  const isSaid = readings !== null && [text ?? '', html ?? '', shown, ...readings].every(isClean)
  if (!isSaid) return `\r\n\r\n${notKept}\r\n`
  return isWhole ? body : `\r\n\r\n${isLong ? notWhole : notAttached}\r\n\r\n${asBytes(text ?? shown)}`
}

const asBytes = (text: string) => Buffer.from(text).toString('latin1')

const percentDecoded = (text: string) =>
  text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** Also with more between groups of digits than is masked in what merchants write: any blanks, line ends, zeros of UTF-16. */
function isClean(text: string): boolean {
  const joined = text.replaceAll('\0', '').replace(/(?<=[0-9])[\s.-]+(?=[0-9])/g, ' ')
  return maskCardNumbers(joined) === joined
}
