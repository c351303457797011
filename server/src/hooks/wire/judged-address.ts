// An address in the form that it is judged in: an IPv6 address that stands for an IPv4 one is the one inside.

import { BlockList, isIP } from 'node:net'

// Two lists, one per family, because a BlockList takes an IPv4 address for its mapped form: ::/0 would hold all of IPv4.
export interface Ranges {
  readonly ipv4: BlockList
  readonly ipv6: BlockList
}

export type Family = keyof Ranges

export interface Judged {
  readonly address: string
  readonly family: Family
}

export function noRanges(): Ranges {
  return { ipv4: new BlockList(), ipv6: new BlockList() }
}

export function has(ranges: Ranges, { address, family }: Judged): boolean {
  return ranges[family].check(address, family)
}

/** Null: no address that can be judged. With a zone (`fe80::1%eth0`) it is one of this machine's own links. */
export function toBeJudged(address: string): Judged | null {
  const family = isIP(address)
  if (family === 0 || address.includes('%')) return null
  if (family === 4) return { address, family: 'ipv4' }
  const inside = ipv4Inside(address)
  return inside === null ? { address, family: 'ipv6' } : { address: inside, family: 'ipv4' }
}

/**
 * The IPv4 address in a mapped (::ffff:0:0/96), compatible (::/96) or NAT64 (64:ff9b::/96) form. Networks may also choose
 * their own NAT64 prefix in 64:ff9b:1::/48; how long it is only they know, and so where the address is. That range is
 * judged as IPv6, and is reserved.
 */
function ipv4Inside(address: string): string | null {
  const groups = groupsOf(address)
  const [high = 0, low = 0] = groups.splice(6)
  const prefix = groups.map(group => group.toString(16)).join(':')
  const isCompatible = prefix === '0:0:0:0:0:0' && !(high === 0 && low <= 1) // :: and ::1 are IPv6's own
  if (!isCompatible && prefix !== '0:0:0:0:0:ffff' && prefix !== '64:ff9b:0:0:0:0') return null
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** The eight numbers of an IPv6 address that is known to be one. */
function groupsOf(address: string): number[] {
  const [left = '', right] = address.split('::')
  const before = groupsIn(left)
  if (right === undefined) return before
  const after = groupsIn(right)
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}

function groupsIn(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap(part => {
    if (!part.includes('.')) return Number.parseInt(part, 16)
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}
