// Changes a mail in the ways that a bad sender, or a bad line, would: bytes, lines, fields, folds, boundaries. Seeded, so that
// what was found once is found again.

import { type Chance, pick } from './hostile/chance.ts'
import { spliced } from './hostile/damage.ts'

const injected = [
  'From: eve@evil.test',
  'from : "ada@shop.test" <eve@evil.test>',
  'From\r\n : eve@evil.test',
  'Sender: eve@evil.test',
  'To: eve@evil.test',
  'Cc: eve@evil.test',
  'Date: Mon, 1 Jan 2024 00:00:00 +0000',
  'Message-ID: <other@evil.test>',
  'Message-Id : <other@evil.test>',
  'Content-Type: text/html; charset=utf-16',
  'Content-Type: multipart/mixed; boundary="x"',
  'Content-Transfer-Encoding: base64',
  'Content-Disposition: attachment',
  'Subject: other',
  'DKIM-Signature: v=1; a=ed25519-sha256; d=evil.test; s=x; h=from; bh=x; b=y',
  'Received: from a by b',
  'X: =?utf-8?b?DQpGcm9tOiBldmVAZXZpbC50ZXN0?=',
  '\xa0From: eve@evil.test',
  '',
]

type Mutation = (mail: string, chance: Chance) => string

function byLines(change: (lines: string[], chance: Chance) => void): Mutation {
  return (mail, chance) => {
    const lines = mail.split('\r\n')
    change(lines, chance)
    return lines.join('\r\n')
  }
}

const mutations: readonly Mutation[] = [
  (mail, chance) => spliced(mail, chance(mail.length), 1, String.fromCharCode(chance(256))),
  (mail, chance) => {
    const at = chance(mail.length)
    return spliced(mail, at, 1, String.fromCharCode(mail.charCodeAt(at) ^ (1 << chance(8))))
  },
  (mail, chance) =>
    spliced(
      mail,
      chance(mail.length),
      0,
      pick([' ', '\t', '\r\n ', '\n', '\r', '\0', '\x0b', '@', '<', '"', '(', '\r\n'], chance),
    ),
  (mail, chance) => mail.slice(0, chance(mail.length)),
  (mail, chance) => mail.slice(chance(mail.length)),
  byLines((lines, chance) => void lines.splice(chance(lines.length), 1)),
  byLines((lines, chance) => void lines.splice(chance(lines.length), 0, pick(lines, chance))),
  byLines((lines, chance) => void lines.splice(chance(lines.length), 0, ...lines.splice(chance(lines.length), 1))),
  byLines((lines, chance) => void lines.splice(chance(lines.length), 0, pick(injected, chance))),
  byLines((lines, chance) => void lines.unshift(pick(injected, chance))),
  byLines((lines, chance) => {
    const end = lines.indexOf('')
    if (end >= 0) lines.splice(end, 0, pick(injected, chance))
  }),
  byLines((lines, chance) => {
    const at = chance(lines.length)
    lines[at] = (lines[at] ?? '').replace(' ', pick(['\r\n ', '\r\n\t', '  ', '\t', ''], chance))
  }),
  byLines((lines, chance) => {
    const at = chance(lines.length)
    lines[at] = pick([(lines[at] ?? '').toUpperCase(), (lines[at] ?? '').toLowerCase(), `${lines[at]} `], chance)
  }),
  (mail, chance) => mail.replace(/shop\.test/g, found => (chance(4) === 0 ? 'evil.test' : found)),
  (mail, chance) =>
    mail.replace(/; (d|s|h|t|x|l|c|a|i|bh|b)=/, (found, tag) =>
      pick([`; l=3${found}`, `; ${tag} =`, `;${tag}=`, `; X${tag}=`], chance),
    ),
  (mail, chance) => mail.replace(/boundary="?[^"\r\n]+/, found => found + pick(['x', ' ', '--', ''], chance)),
  (mail, chance) =>
    mail.replace(/charset=[a-z0-9-]+/, `charset=${pick(['utf-7', 'utf-16', 'x', 'iso-2022-jp'], chance)}`),
  (mail, chance) => mail + pick(['\r\n', '\r\n\r\n', ' ', 'more', '\r\n--b--\r\n', '\r\n.\r\n'], chance),
]

/** One to three changes. `mail` is text of bytes. */
export function mutate(mail: string, chance: Chance): string {
  let changed = mail
  for (let count = 1 + chance(3); count > 0; count -= 1) changed = pick(mutations, chance)(changed, chance)
  return changed
}
