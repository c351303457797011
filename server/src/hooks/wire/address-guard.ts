// Whether a hook may go to an address.

import { BlockList, isIP } from 'node:net'
import { type Family, has, type Judged, noRanges, type Ranges, toBeJudged } from './judged-address.ts'
import { globalIpv6, loopback, type Range, reservedIpv4, reservedIpv6 } from './special-ranges.ts'
import { type IsThisMachine, thisMachine } from './this-machine.ts'

export interface Whereto {
  readonly mode: 'sandbox' | 'live'
  /** CIDR ranges that may be reached although they are reserved. */
  readonly allow: readonly string[]
  /** The ports that this service listens on. */
  readonly ownPorts: () => readonly number[]
  /** That one of them that serves the inbox; null: none does. */
  readonly inboxPort: () => number | null
}

/** `reserved` does not say which range: a merchant must not be able to map our network. */
export type Verdict = 'allowed' | 'reserved' | 'own service'

export type Guard = (address: string, port: number, path: string) => Verdict

const reserved: Ranges = { ipv4: listOf(reservedIpv4, 'ipv4'), ipv6: listOf(reservedIpv6, 'ipv6') }
const reachable = listOf([globalIpv6], 'ipv6')

/** The one page of this service that may receive hooks: the demo merchant's. */
const inboxPath = '/inbox/'

export function addressGuard(
  { mode, allow, ownPorts, inboxPort }: Whereto,
  isThisMachine: IsThisMachine = thisMachine(),
): Guard {
  const lifted = rangesOf(allow)
  if (mode === 'sandbox') {
    lifted.ipv4.addSubnet(...loopback.ipv4, 'ipv4')
    lifted.ipv6.addSubnet(...loopback.ipv6, 'ipv6')
  }
  const isOwn = (port: number, path: string) =>
    ownPorts().includes(port) && !(port === inboxPort() && path.startsWith(inboxPath))
  /** Those that are free to be reached. What is refused is rare, and judged each time. */
  const free = new Map<string, Judged>()
  const judge = (address: string): Judged | null => {
    const judged = toBeJudged(address)
    if (judged === null || (isReserved(judged) && !has(lifted, judged))) return null
    if (free.size >= addressesMax) free.clear()
    free.set(address, judged)
    return judged
  }
  return (address, port, path) => {
    const judged = free.get(address) ?? judge(address)
    if (judged === null) return 'reserved'
    return isOwn(port, path) && isThisMachine(judged) ? 'own service' : 'allowed'
  }
}

/** Of which is remembered that they may be reached. */
const addressesMax = 10_000

function isReserved(judged: Judged): boolean {
  return has(reserved, judged) || (judged.family === 'ipv6' && !reachable.check(judged.address, 'ipv6'))
}

function listOf(ranges: readonly Range[], family: Family): BlockList {
  const list = new BlockList()
  for (const [address, bits] of ranges) list.addSubnet(address, bits, family)
  return list
}

function rangesOf(cidrs: readonly string[]): Ranges {
  const ranges = noRanges()
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
