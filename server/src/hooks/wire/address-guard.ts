// Whether a hook may go to an address. An IPv6 address that stands for an IPv4 one is judged by the one inside.

import { BlockList, isIP } from 'node:net'
import { globalIpv6, loopback, type Range, reservedIpv4, reservedIpv6 } from './special-ranges.ts'

export interface Whereto {
  readonly mode: 'sandbox' | 'live'
  /** CIDR ranges that may be reached although they are reserved. */
  readonly allow: readonly string[]
  /** The ports that this service listens on. */
  readonly ownPorts: () => readonly number[]
}

/** `reserved` does not say which range: a merchant must not be able to map our network. */
export type Verdict = 'allowed' | 'reserved' | 'own service'

export type Guard = (address: string, port: number, path: string) => Verdict

// Two lists, one per family, because a BlockList takes an IPv4 address for its mapped form: ::/0 would hold all of IPv4.
interface Ranges {
  readonly ipv4: BlockList
  readonly ipv6: BlockList
}

type Family = keyof Ranges

interface Judged {
  readonly address: string
  readonly family: Family
}

const reserved: Ranges = { ipv4: listOf(reservedIpv4, 'ipv4'), ipv6: listOf(reservedIpv6, 'ipv6') }
const reachable = listOf([globalIpv6], 'ipv6')

/** The one page of this service that may receive hooks: the demo merchant's. */
const inboxPath = '/inbox/'

export function addressGuard({ mode, allow, ownPorts }: Whereto): Guard {
  const lifted = rangesOf(allow)
  if (mode === 'sandbox') {
    lifted.ipv4.addSubnet(...loopback.ipv4, 'ipv4')
    lifted.ipv6.addSubnet(...loopback.ipv6, 'ipv6')
  }
  return (address, port, path) => {
    const judged = toBeJudged(address)
    if (judged === null) return 'reserved'
    if (has(lifted, judged)) return ownPorts().includes(port) && !path.startsWith(inboxPath) ? 'own service' : 'allowed'
    return isReserved(judged) ? 'reserved' : 'allowed'
  }
}

function isReserved(judged: Judged): boolean {
  return has(reserved, judged) || (judged.family === 'ipv6' && !reachable.check(judged.address, 'ipv6'))
}

function has(ranges: Ranges, { address, family }: Judged): boolean {
  return ranges[family].check(address, family)
}

function listOf(ranges: readonly Range[], family: Family): BlockList {
  const list = new BlockList()
  for (const [address, bits] of ranges) list.addSubnet(address, bits, family)
  return list
}

function rangesOf(cidrs: readonly string[]): Ranges {
  const ranges = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const cidr of cidrs) {
    const [address = '', bits = ''] = cidr.split('/')
    const judged = toBeJudged(address)
    if (judged === null || bits === '') throw new Error(`${cidr} is not a CIDR range`)
    const { family } = judged
    const isForm = isIP(address) === 6 && family === 'ipv4'
    const size = Number(bits) - (isForm ? 96 : 0)
    // A range that is wider than the forms of IPv4 addresses it begins with is one of IPv6 addresses.
    if (size < 0) ranges.ipv6.addSubnet(address, Number(bits), 'ipv6')
    else ranges[family].addSubnet(judged.address, size, family)
  }
  return ranges
}

/** Null: no address that can be judged. With a zone (`fe80::1%eth0`) it is one of this machine's own links. */
function toBeJudged(address: string): Judged | null {
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
