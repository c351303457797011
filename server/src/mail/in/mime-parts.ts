// How a mail says that its body is to be read, without reading it: how many parts it claims to have, and in which charsets.

/** A boundary begins with two hyphens, and so may a line of text: of either nobody who pays writes so many. */
const boundariesMax = 500

export function hasTooManyParts(mail: Buffer): boolean {
  let count = 0
  for (let at = mail.indexOf('\n--'); at >= 0 && count <= boundariesMax; at = mail.indexOf('\n--', at + 1)) count += 1
  return count > boundariesMax
}

const contentType = /^content-type[ \t]*:(.*(?:\r\n[ \t].*)*)/gim
const charset = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i

/** The first that nobody can read, of the mail or of one of its parts; null: there is none. */
export function unknownCharset(mail: Buffer): string | null {
  let left = boundariesMax
  for (const [, value = ''] of mail.toString('latin1').matchAll(contentType)) {
    const [, quoted, plain] = charset.exec(value) ?? []
    const name = (quoted ?? plain ?? 'us-ascii').slice(0, nameCharsMax)
    // More of them than it has parts are not looked at: whatever they are of, nobody reads it.
    if (!isKnown(name) || left-- === 0) return name
  }
  return null
}

const nameCharsMax = 100

function isKnown(name: string): boolean {
  try {
    new TextDecoder(name)
    return true
  } catch {
    return false
  }
}
