// Networks that the operator names, as CIDR.

import { BlockList, isIPv6 } from 'node:net'

/** Whether an address is in one of them. IPv4 written as IPv6 is IPv4. */
export type AddressList = (address: string) => boolean

export function addressList(networks: readonly string[]): AddressList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const [family, allBits] = isIPv6(address) ? (['ipv6', 128] as const) : (['ipv4', 32] as const)
    list.addSubnet(address, bits === undefined ? allBits : Number(bits), family)
  }
  return address => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}
