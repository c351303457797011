// A process may have only so many files and connections open. When they are used up, nothing can be connected to and no name be looked up: the
// errors look like the other side's (a name that does not resolve, say), and are not.

import { closeSync, openSync } from 'node:fs'
import { isIPv6 } from 'node:net'

export const nothingLeft =
  'This process has nothing left to connect with: raise its limit of open files (ulimit -n, LimitNOFILE), or give the machine more ports and memory.'

const ofThisMachine = ['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'ENOBUFS', 'ENOMEM']

export function isOfThisMachine(error: ConnectError): boolean {
  return ofThisMachine.includes(error.code ?? '') && !lacksIpv6(error)
}

/** What connecting to an address fails with. */
export interface ConnectError extends NodeJS.ErrnoException {
  readonly address?: string
}

/** To a machine that has no IPv6, no address of it is available: that is how it is, and no want of ports. */
export function lacksIpv6({ code, address = '' }: ConnectError): boolean {
  return code === 'EADDRNOTAVAIL' && isIPv6(address)
}

/** Found out by opening something. */
export function isNothingLeft(): boolean {
  try {
    closeSync(openSync('/dev/null', 'r'))
    return false
  } catch (error) {
    return isOfThisMachine(error as ConnectError)
  }
}
