// sign-in try: somebody says to be a person who comes in by the dashboard, or asks for a mail to one. Who fails too often waits,
// and longer each time. Nobody need have a login to be counted: what is said is the same for addresses that nobody has.

/**
 * here: one login, from one network. browser: one login, from a browser that signed in to it before. everywhere: one login, from
 * browsers that did not. network: all logins, from one network. code: the second factor of one login; a right password came
 * first. mail: links to set a password, mailed to one address. asks: such mails, asked for from one network. invites: mails
 * that a merchant's owners have sent to whomever.
 */
export type SignInTryKind = 'here' | 'browser' | 'everywhere' | 'network' | 'code' | 'mail' | 'asks' | 'invites'

interface Patience {
  /** So many failures cost nothing. */
  readonly free: number
  /** After the next one; each further doubles it. */
  readonly firstS: number
  readonly maxS: number
}

export const patience: Readonly<Record<SignInTryKind, Patience>> = {
  here: { free: 5, firstS: 15, maxS: 900 },
  browser: { free: 5, firstS: 15, maxS: 900 },
  // From many networks at once. Short at most: with it a stranger keeps the person waiting, who comes from an unknown browser.
  everywhere: { free: 20, firstS: 5, maxS: 60 },
  // An office is behind one.
  network: { free: 50, firstS: 15, maxS: 900 },
  // Three of a million codes are right at a time: a day of guessing must come to nothing.
  code: { free: 5, firstS: 30, maxS: 3_600 },
  mail: { free: 3, firstS: 60, maxS: 3_600 },
  asks: { free: 20, firstS: 15, maxS: 900 },
  // A whole office in a day.
  invites: { free: 50, firstS: 60, maxS: 900 },
}

/** After so long without another, failures are forgotten. */
export const forgottenAfterS = 86_400

/** How long somebody still waits who failed so often, the last time so long ago; 0: not at all. */
export function waitS(kind: SignInTryKind, failures: number, sinceS: number): number {
  const { free, firstS, maxS } = patience[kind]
  if (failures < free || sinceS >= forgottenAfterS) return 0
  const wholeS = Math.min(maxS, firstS * 2 ** (failures - free))
  return Math.max(0, Math.ceil(wholeS - sinceS))
}
