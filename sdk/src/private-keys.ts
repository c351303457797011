// The Private Keys that an application verifies with: one, or several while one is being replaced.

/** A variable of the environment that is not set is undefined; among several that is how the second one mostly is. */
export type PrivateKeys = string | undefined | readonly (string | undefined)[]

/**
 * Throws where there is no key to verify with. That is never to be overlooked: with an empty key anybody could sign.
 */
export function privateKeysOf(given: PrivateKeys): readonly string[] {
  const keys = [given].flat().filter(isSet).map(checkedText)
  if (keys.length === 0) throw noKey()
  return keys
}

/** The same for one. */
export function privateKeyOf(given: string): string {
  if (!isSet(given)) throw noKey()
  return checkedText(given)
}

/** What holds blanks alone is no key either: a line break, say, of an empty file. */
function isSet(key: unknown): boolean {
  return key !== undefined && key !== null && !(typeof key === 'string' && key.trim() === '')
}

function checkedText(key: unknown): string {
  if (typeof key === 'string') return key
  throw new TypeError('The Private Key must be text, exactly as the service shows it; do not decode its base64.')
}

function noKey(): TypeError {
  return new TypeError(
    'There is no Private Key: what was given is empty or undefined. Is the environment variable set? Where it is only there later ' +
      '(next build), give handlers a function: privateKey: () => process.env.TILLBELL_PRIVATE_KEY.',
  )
}
