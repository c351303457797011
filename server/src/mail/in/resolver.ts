// DNS for finding out who sent a mail. A table of own answers comes first: the sandbox's, which works without a network.

import { tooLongCode } from '../../threads/dns-errors.ts'
import { createDnsLookups, type DnsLookups } from '../../threads/dns-lookups.ts'

export interface MailResolverOptions {
  /** The one server to ask, as address and port. Null: the system's. */
  readonly dns: string | null
  /** What we answer ourselves; empty: there is no such record. Null: the name is not ours. */
  readonly ownNames?: (name: string, type: string) => readonly string[] | null
}

/** A mail may ask for dozens of names, one after another. */
const tryMs = 3_000

export function createMailResolver({ dns, ownNames = () => null }: MailResolverOptions): DnsLookups {
  const lookups = createDnsLookups({ server: dns, tryMs, givesWay: true })
  return {
    async resolve(name, type) {
      const own = ownNames(name.toLowerCase(), type)
      if (own === null) return lookups.resolve(name, type).catch(error => throwNone(error, name, type))
      if (own.length === 0) throw none(name, type)
      return type === 'TXT' ? own.map(text => [text]) : [...own]
    },
    close: () => lookups.close(),
  }
}

const none = (name: string, type: string) => Object.assign(new Error(`no ${type} of ${name}`), { code: 'ENOTFOUND' })

/** No honest answer is too long to be handed over. */
function throwNone(error: NodeJS.ErrnoException, name: string, type: string): never {
  throw error.code === tooLongCode ? none(name, type) : error
}
