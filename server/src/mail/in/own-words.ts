// What somebody wrote in a mail, without what they quote. A token that is quoted asks for nothing: whoever answers to an offer,
// or sends it on to a friend, does not pay for it.

const quotedLine = /^\s*>/
const signature = /^-- ?$/
const separators = [
  /^\s*-{2,}\s*(original message|forwarded message|mensaje original|mensaje reenviado|ursprüngliche nachricht|message d'origine|messaggio originale|mensagem original)\s*-{2,}/i,
  /^\s*(begin forwarded message|inicio del mensaje reenviado)\s*:/i,
]
/** The line above a quotation, which mail programs break over up to three. */
const attribution =
  /^\s*(on\b.{4,}\bwrote|el\b.{4,}\bescribió|am\b.{4,}\bschrieb\b.*|le\b.{4,}\ba écrit|il\b.{4,}\bha scritto|em\b.{4,}\bescreveu|op\b.{4,}\bschreef\b.*)\s*:\s*$/iu
const attributionLinesMax = 3
const lineCharsMax = 1_000
/** Outlook copies the header of what it quotes. */
const headerBegins = /^\s*\*?(from|de|von|da|van)\s*:\*?\s/i
const headerGoesOn = /^\s*\*?(sent|date|enviado|enviado el|fecha|gesendet|datum|envoyé|inviato|data|verzonden)\s*:/i
const headerLinesMax = 4

export interface OwnWords {
  readonly words: string
  /** Whether nothing stands below them: no quotation, and no signature. */
  readonly isToTheEnd: boolean
}

export function ownWords(text: string): OwnWords {
  const lines = text.split(/\r?\n/)
  const end = lines.findIndex((_, at) => beginsQuotation(lines, at))
  const own = end < 0 ? lines : lines.slice(0, end)
  return { words: own.filter(line => !quotedLine.test(line)).join('\n'), isToTheEnd: end < 0 }
}

function beginsQuotation(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? ''
  if (signature.test(line) || separators.some(separator => separator.test(line.slice(0, lineCharsMax)))) return true
  if (headerBegins.test(line)) return lines.slice(at + 1, at + headerLinesMax).some(next => headerGoesOn.test(next))
  return isAttribution(lines, at)
}

function isAttribution(lines: readonly string[], at: number): boolean {
  for (let count = 1; count <= attributionLinesMax; count += 1) {
    const joined = lines.slice(at, at + count).join(' ')
    if (joined.length > lineCharsMax) return false
    if (!joined.trimEnd().endsWith(':')) continue
    if (attribution.test(joined)) return true
  }
  return false
}

const marks =
  /<blockquote|gmail_quote|gmail_extra|yahoo_quoted|moz-cite-prefix|moz-forward-container|moz-email-headers|protonmail_quote|zmail_extra|type=["']?cite|divrplyfwdmsg|appendonsend|mail-editor-reference-message-container|^content-disposition\s*:|^content-type\s*:(?!\s*(?:text\/(?:plain|html)|multipart\/))|\b(wrote|escribió|schrieb|écrit|scritto|escreveu|schreef)\b/im

/** Whether anything in it looks like the words of others, in whichever way it is read. */
export function quotesOthers(text: string): boolean {
  const withoutSignature = text.replace(/^-- ?$/gm, '')
  return marks.test(text) || ownWords(withoutSignature).words !== withoutSignature.replace(/\r\n/g, '\n')
}
