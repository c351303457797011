// Addresses that no hook goes to unless an operator allows them: what IANA's special-purpose registries do not call
// globally reachable, multicast, and what clouds reserve for themselves. Where a range holds single addresses that are
// reachable (anycast services of protocols), the whole range is here: nobody's endpoint is among them.

export type Range = readonly [address: string, bits: number]

export const reservedIpv4: readonly Range[] = [
  ['0.0.0.0', 8], // this network; 0.0.0.0 connects to this machine
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carriers; a cloud's metadata
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // looks public, but is a cloud's own service inside its virtual machines
  ['169.254.0.0', 16], // link-local; most clouds' metadata
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments; a cloud's metadata
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays, given up
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarking
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, with broadcast as its last
]

/** Only here can an IPv6 address be reachable from everywhere. Loopback, ULA, link-local and the rest lie outside. */
export const globalIpv6: Range = ['2000::', 3]

/** What lies inside of it and is reserved all the same. */
export const reservedIpv6: readonly Range[] = [
  ['2001::', 23], // protocol assignments: Teredo, benchmarking, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: leads to an IPv4 address of the writer's choice
  ['3fff::', 20], // documentation
]

export const loopback = { ipv4: ['127.0.0.0', 8], ipv6: ['::1', 128] } as const satisfies { [family: string]: Range }
