// A body in every way in which it could be read. Many signatures leave open how to read it: then whoever passes a mail on may say
// that its lines are not encoded, or that its HTML is plain text, and words that were quoted, or that nobody saw, become the
// sender's own.

/** Lines of one word each look like base64; a letter has some of them. */
const runsMax = 200

/**
 * `body` is text of bytes, and so are the readings: as it is, as quoted-printable, and each run of base64 in it. Null: there are
 * more ways to read it than anybody who pays would send.
 */
export function everyReading(body: string): string[] | null {
  const runs = runsOfBase64(body)
  return runs.length > runsMax ? null : [body, decodedQuotedPrintable(body), ...runs.map(asText)]
}

function decodedQuotedPrintable(body: string): string {
  return body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

const base64Line = /^[A-Za-z0-9+/]+={0,2}$/

function runsOfBase64(body: string): string[] {
  const runs: string[][] = []
  let run: string[] | null = null
  for (const line of body.split('\r\n')) {
    if (!base64Line.test(line)) {
      run = null
      continue
    }
    if (run === null) {
      run = []
      runs.push(run)
    }
    run.push(line)
  }
  return runs.map(lines => lines.join(''))
}

/** What is no text, such as a word that only looks like base64, has no lines. */
function asText(base64: string): string {
  const bytes = Buffer.from(base64, 'base64')
  const decoded = bytes.toString('latin1')
  return bytes.some(isNoText) ? decoded.replace(/[\r\n]/g, ' ') : decoded
}

/** Some charsets of Japan have escapes. */
const isNoText = (byte: number) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27)
