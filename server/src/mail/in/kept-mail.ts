// What of a mail is kept, sealed, for the days in which somebody may ask what came: without card numbers. In plain text they
// are masked. In what is encoded (base64, quoted-printable, tags between digits) they cannot be masked without writing the mail
// anew: then only its header is kept.

import PostalMime, { decodeWords } from 'postal-mime'
import { maskCardNumbers } from '../../core/card-number.ts'
import { htmlWords } from './html-words.ts'

const limits = { maxNestingDepth: 32, maxHeadersSize: 512 * 1024, maxRfc822NestingDepth: 0 }
const notKept = '[What it said held a card number, or could not be read, and was not kept.]'

/** As text of bytes, which `latin1` makes bytes again. */
export async function keptMail(raw: Buffer): Promise<string> {
  const masked = maskCardNumbers(raw.toString('latin1'))
  const blank = masked.indexOf('\r\n\r\n')
  const [header, body] = blank < 0 ? [masked, ''] : [masked.slice(0, blank), masked.slice(blank)]
  const shownHeader = withoutNumbers(header)
  const isClean = await hidesNothing(Buffer.from(masked, 'latin1'))
  return isClean ? `${shownHeader}${body}` : `${shownHeader}\r\n\r\n${notKept}\r\n`
}

/** Words of a header may be encoded as well: a field that hides a number goes. */
function withoutNumbers(header: string): string {
  const fields = header.split(/\r\n(?![ \t])/)
  return fields.filter(field => isClean(decodeWords(field.replace(/\r\n/g, '')))).join('\r\n')
}

async function hidesNothing(mail: Buffer): Promise<boolean> {
  const email = await PostalMime.parse(mail, limits).catch(() => null)
  if (email === null) return false
  const attached = email.attachments.map(({ content }) =>
    typeof content === 'string' ? content : Buffer.from(content as ArrayBuffer).toString('latin1'),
  )
  return [email.text ?? '', email.html ?? '', htmlWords(email.html ?? '').all, ...attached].every(isClean)
}

const isClean = (text: string) => maskCardNumbers(text) === text
