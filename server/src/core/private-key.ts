// The rules of replacing a merchant's Private Key.

/**
 * A token names its merchant but not its key, so it is tried with each. Anybody may show a token, so their number is bounded.
 * Former: replaced or deleted. Its public half still opens tokens, unless the key is marked as compromised.
 */
export const formerKeysMax = 16

export type NoNextKey = 'has next' | 'too many former'

export const noNextKeySays: { readonly [why in NoNextKey]: string } = {
  'has next': 'There is a next key already: make it current, or delete it.',
  'too many former': `There are already ${formerKeysMax} former keys that open tokens. Mark one as compromised, so that its tokens do not open any more, and then create the next key.`,
}
