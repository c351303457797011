// Whether a Subject says that an email answers or forwards another one. Mail programs put a word and a colon before it, in
// the language of their user, and some count: `Re[2]:`, `AW (3):`.

const prefixes = [
  // English, and what programs of every language write
  ...['re', 'reply', 'fw', 'fwd', 'forward', 'forwarded', 'automatic reply', 'auto', 'out of office'],
  ...['recall', 'undeliverable', 'undelivered', 'returned mail', 'delivery status notification', 'read', 'not read'],
  // Answers to calendar invitations
  ...['accepted', 'declined', 'tentative', 'tentatively accepted', 'canceled', 'cancelled', 'updated invitation'],
  // German, Dutch, Danish, Norwegian, Swedish, Finnish, Icelandic
  ...['aw', 'antwort', 'wg', 'weitergeleitet', 'antw', 'antwoord', 'betr', 'doorst', 'doorgestuurd'],
  ...['sv', 'svar', 'vs', 'vb', 'vl', 'vast', 'fs', 'videresendt', 'vidarebefordrat'],
  // Spanish, Catalan, French, Italian, Portuguese, Romanian
  ...['rv', 'reenv', 'respuesta', 'rm', 'resp', 'tr', 'rép', 'rep', 'réf', 'ref', 'r', 'rif', 'ris', 'i', 'inoltro'],
  ...['res', 'enc', 'resposta', 'răsp', 'rasp', 'redir'],
  // Polish, Czech, Slovak, Slovenian, Croatian, Serbian, Hungarian, Lithuanian, Latvian, Estonian
  ...['odp', 'pd', 'předáno', 'přep', 'preposlané', 'odg', 'posr', 'pros', 'prosl', 'vá', 'va', 'tov', 'továbbítás'],
  ...['ats', 'persiųsta', 'atb', 'pārs', 'edasi', 'vst'],
  // Greek, Russian, Ukrainian, Bulgarian
  ...['απ', 'απάντηση', 'πρθ', 'σχετ', 'на', 'ha', 'отв', 'ответ', 'пер', 'пересл', 'вiдп', 'відп', 'отг', 'препр'],
  // Turkish, Hebrew, Arabic, Persian
  ...['ynt', 'yan', 'ilt', 'i̇lt', 'השב', 'הועבר', 'תשובה', 'רد', 'رد', 'إعادة توجيه', 'پاسخ', 'بازارسال'],
  // Chinese, Japanese, Korean, Vietnamese, Indonesian, Malay, Thai, Welsh
  ...['回复', '回覆', '回復', '答复', '答覆', '转发', '轉發', '轉寄', '返信', '転送', '회신', '답장', '전달'],
  ...['tl', 'trả lời', 'ct', 'chuyển tiếp', 'bls', 'balas', 'trs', 'terusan', 'bg', 'ตอบกลับ', 'ส่งต่อ', 'ymlaen'],
]

const counted = '(?:\\s*[\\[(（【^]?\\s*[0-9]{1,4}\\s*[\\])）】]?)?'
/** A gateway may put marks such as `[EXTERNAL]` before everything. */
const marks = '(?:\\s*[\\[(【][^\\])】]{0,40}[\\])】])*'
const pattern = new RegExp(`^${marks}\\s*(?:${prefixes.join('|')})${counted}\\s*[:：꞉∶﹕]`, 'iu')

/** As programs for terminals write it. */
const forwardedAtEnd = /\(fwd\)$/i

export function isReplySubject(subject: string): boolean {
  const visible = subject
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .trim()
  return pattern.test(visible) || pattern.test(visible.toLowerCase()) || forwardedAtEnd.test(visible)
}
