// DNS for finding out who sent a mail. A table of own answers comes first: the sandbox's, which works without a network.

import { createDnsLookups, type DnsLookups } from './dns-lookups.ts'

export interface MailResolverOptions {
  /** The one server to ask, as address and port. Null: the system's. */
  readonly dns: string | null
  /** What we answer ourselves; empty: there is no such record. Null: the name is not ours. */
  readonly ownNames?: (name: string, type: string) => readonly string[] | null
}

export function createMailResolver({ dns, ownNames = () => null }: MailResolverOptions): DnsLookups {
  const lookups = createDnsLookups(dns)
  return {
    async resolve(name, type) {
      const own = ownNames(name.toLowerCase(), type)
      if (own === null) return lookups.resolve(name, type)
      if (own.length === 0) throw Object.assign(new Error(`no ${type} of ${name}`), { code: 'ENOTFOUND' })
      return type === 'TXT' ? own.map(text => [text]) : [...own]
    },
    close: () => lookups.close(),
  }
}
