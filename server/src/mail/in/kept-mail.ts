// What of a mail is kept, sealed, for the days in which somebody may ask what came: its header and its text, without card numbers.
// What is attached is never kept. In plain text numbers are masked. In what is encoded (base64, quoted-printable, tags between
// digits) they cannot be masked without writing the mail anew: then only its header is kept.

import PostalMime, { decodeWords } from 'postal-mime'
import { maskCardNumbers } from '../../core/card-number.ts'
import { everyReading } from './every-reading.ts'
import { htmlWords } from './html-words.ts'

const limits = { maxNestingDepth: 32, maxHeadersSize: 512 * 1024, maxRfc822NestingDepth: 0 }
const notKept = '[What it said held a card number, or could not be read, and was not kept.]'
const notAttached = '[What was attached was not kept. It said:]'

/** As text of bytes, which `latin1` makes bytes again. */
export async function keptMail(raw: Buffer): Promise<string> {
  const masked = maskCardNumbers(raw.toString('latin1'))
  const blank = masked.indexOf('\r\n\r\n')
  const [header, body] = blank < 0 ? [masked, ''] : [masked.slice(0, blank), masked.slice(blank)]
  return `${withoutNumbers(header)}${await keptBody(Buffer.from(masked, 'latin1'), body)}`
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
async function keptBody(mail: Buffer, body: string): Promise<string> {
  const email = await PostalMime.parse(mail, limits).catch(() => null)
  if (email === null) return `\r\n\r\n${notKept}\r\n`
  const shown = htmlWords(email.html ?? '').all
  const isSaid = [email.text ?? '', email.html ?? '', shown].every(isClean)
  const isAttached = email.attachments.length > 0
  if (!isSaid || (!isAttached && !everyReading(body).every(isClean))) return `\r\n\r\n${notKept}\r\n`
  if (!isAttached) return body
  const said = Buffer.from(email.text ?? shown).toString('latin1')
  return `\r\n\r\n${notAttached}\r\n\r\n${said}`
}

const percentDecoded = (text: string) =>
  text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** Also with more between groups of digits than is masked in what merchants write: any blanks, line ends, zeros of UTF-16. */
function isClean(text: string): boolean {
  const joined = text.replaceAll('\0', '').replace(/(?<=[0-9])[\s.-]+(?=[0-9])/g, ' ')
  return maskCardNumbers(joined) === joined
}
