// What a password of the dashboard must be: long. What else is refused are those that are guessed first.

export const passwordCharsMin = 12
export const passwordBytesMax = 1_000

export type PasswordFault = 'short' | 'long' | 'name' | 'simple' | 'common'

/** Null: it is taken. */
export function passwordFault(password: string, email: string): PasswordFault | null {
  const characters = [...password]
  if (characters.length < passwordCharsMin) return 'short'
  if (bytesOf(password) > passwordBytesMax) return 'long'
  const lower = password.toLowerCase()
  if (new Set(lower).size < 4 || isARun(lower)) return 'simple'
  if (isMostly(lower, email.split('@', 1)[0] ?? '')) return 'name'
  return common.some(word => isMostly(lower, word)) ? 'common' : null
}

function bytesOf(text: string): number {
  let bytes = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return bytes
}

const rows = [
  'abcdefghijklmnopqrstuvwxyz',
  '0123456789'.repeat(3),
  'qwertyuiopasdfghjklzxcvbnm',
  '1qaz2wsx3edc4rfv5tgb6yhn',
]

/** As on the keyboard or in the alphabet, either way. */
function isARun(lower: string): boolean {
  const backwards = [...lower].reverse().join('')
  return rows.some(row => row.includes(lower) || row.includes(backwards))
}

const leftMin = 6

/** Without the word, and what is put around one to please such rules, too little is left. A name of a letter or two is none. */
function isMostly(lower: string, word: string): boolean {
  if (word.length < 3 || !lower.includes(word)) return false
  return new Set(lower.replaceAll(word, '').replace(/[\d!?.@#$*_-]/g, '')).size < leftMin
}

const common = [
  ...['password', 'passwort', 'contraseña', 'contrasena', 'passw0rd', 'p@ssword', 'p@ssw0rd', 'letmein', 'welcome'],
  ...['qwerty', 'asdfgh', 'qazwsx', '1q2w3e', '123456', '123123', '111111', 'abc123', 'iloveyou', 'teamo', 'admin'],
  ...['administrator', 'dragon', 'monkey', 'football', 'baseball', 'superman', 'batman', 'sunshine', 'princess'],
  ...['changeme', 'trustno1', 'secret', 'master', 'shadow', 'tillbell', 'login', 'dashboard', 'bienvenido', 'hola'],
]
