// try: what somebody does on a page that a stranger could do over and over: pay with a card, have a mail sent. Whoever has
// tried too often waits. Only what fails counts in the end: a try that came to a success is given back. What has no end
// yet counts apart, and more generously.

import type { MerchantId } from './ids.ts'

/**
 * address: on the network, and whoever is behind it. waiting: the same, for payments that wait for the bank or the gateway, and for cards
 * that were stored to pay what was paid already. card: by its fingerprint. ask: an address on the network that has links mailed. mail: an address that mail is sent to.
 * further_action, error: an address whose mails are answered so. letter: an address that sends mails which do not prove who
 * sent them. stray: an address on the network that sends such in anybody's name. newcomers: a domain that mails come from whose
 * senders were never here before.
 */
export type TryKind =
  | 'address'
  | 'waiting'
  | 'card'
  | 'ask'
  | 'mail'
  | 'further_action'
  | 'error'
  | 'letter'
  | 'stray'
  | 'newcomers'

export interface Limit {
  readonly atOnce: number
  readonly perHour: number
}

/** At one merchant. All are full again within an hour, which is how long they are remembered. */
export const tryLimits: Readonly<Record<TryKind, Limit>> = {
  // A whole office may be behind one address, or a village; but their payments succeed. Who tests stolen cards needs thousands.
  address: { atOnce: 15, perHour: 30 },
  // Where banks ask back this is every payment, and nearly all come to a success that nobody here waits for. That a bank
  // asks back says something of a card, though, and so it is counted, and never given back.
  waiting: { atOnce: 200, perHour: 400 },
  // A person mistypes the code or the date a few times. Guessing a code of three digits takes five hundred.
  card: { atOnce: 5, perHour: 10 },
  // An office asks for a link each; nobody's payment is held up by it.
  ask: { atOnce: 30, perHour: 60 },
  // A mail may be slow or lost and asked for again; more of them are a nuisance to somebody who did not ask.
  mail: { atOnce: 3, perHour: 6 },
  // In their name anybody may have written: they are not written to over and over. Who is proven is answered each time.
  further_action: { atOnce: 1, perHour: 1 },
  error: { atOnce: 1, perHour: 1 },
  // Each is a transaction that waits, and a hook: so many a customer may mean, whose provider signs too little.
  letter: { atOnce: 10, perHour: 20 },
  stray: { atOnce: 30, perHour: 60 },
  // Whoever has a domain has as many senders as they like. After a mail to all customers they are known, and do not count.
  newcomers: { atOnce: 200, perHour: 400 },
}

export type Try = { readonly ok: true } | { readonly ok: false; readonly retryAfterS: number }

export interface Tries {
  /** Before the try itself. */
  take(merchantId: MerchantId, kind: TryKind, name: string): Promise<Try>
  /** What `take` would say, without taking one. */
  left(merchantId: MerchantId, kind: TryKind, name: string): Promise<Try>
  /** It came to a success. */
  giveBack(merchantId: MerchantId, kind: TryKind, name: string): Promise<void>
}

/** Those that are counted by an address on the network, which is to be read with `networkOf`. */
export const networkKinds: ReadonlySet<TryKind> = new Set<TryKind>(['address', 'waiting', 'ask', 'stray'])

/** Whose an address is: an IPv6 customer has a whole /64 of them. IPv4 written as IPv6 is IPv4. */
export function networkOf(address: string): string {
  const groups = groupsOf(address)
  if (groups === null) return address
  const [first = 0, second = 0] = groups.slice(6)
  const isMapped = groups.slice(0, 5).every(group => group === 0) && groups[5] === 0xffff
  if (isMapped) return [first >> 8, first & 0xff, second >> 8, second & 0xff].join('.')
  const network = groups.slice(0, 4).map(group => group.toString(16))
  return `${network.join(':')}::/64`
}

/** The eight of an IPv6 address; null: it is none. */
function groupsOf(address: string): number[] | null {
  // A URL's host is written in one way, whatever way it was given in. It has no zone.
  const url = `http://[${address.replace(/%.*$/, '')}]/`
  if (!address.includes(':') || !URL.canParse(url)) return null
  const [before = '', after] = new URL(url).hostname.slice(1, -1).split('::')
  const parsed = (text: string) => (text === '' ? [] : text.split(':').map(group => Number.parseInt(group, 16)))
  const [front, back] = [parsed(before), parsed(after ?? '')]
  return [...front, ...Array<number>(8 - front.length - back.length).fill(0), ...back]
}
