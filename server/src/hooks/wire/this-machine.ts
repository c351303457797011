// Whether an address leads to this very machine. Its addresses come and go, so they are asked for anew now and then.

import { networkInterfaces } from 'node:os'
import { has, type Judged, noRanges, type Ranges, toBeJudged } from './judged-address.ts'
import { loopback } from './special-ranges.ts'

export type IsThisMachine = (judged: Judged) => boolean

const askEveryMs = 5_000

/** `addresses`: what this machine has beside loopback. */
export function thisMachine(addresses = interfaceAddresses, nowMs = () => performance.now()): IsThisMachine {
  let own = noRanges()
  let askedAtMs = Number.NEGATIVE_INFINITY
  return judged => {
    if (nowMs() - askedAtMs >= askEveryMs) {
      own = rangesWith(addresses())
      askedAtMs = nowMs()
    }
    return has(own, judged)
  }
}

function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap(each => each?.map(({ address }) => address) ?? [])
}

function rangesWith(addresses: readonly string[]): Ranges {
  const ranges = noRanges()
  ranges.ipv4.addSubnet(...loopback.ipv4, 'ipv4')
  ranges.ipv6.addSubnet(...loopback.ipv6, 'ipv6')
  // To connect to no address is to connect to oneself.
  ranges.ipv4.addSubnet('0.0.0.0', 8, 'ipv4')
  ranges.ipv6.addAddress('::', 'ipv6')
  for (const address of addresses) {
    const judged = toBeJudged(address)
    if (judged !== null) ranges[judged.family].addAddress(judged.address, judged.family)
  }
  return ranges
}
