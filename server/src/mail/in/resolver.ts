// DNS for finding out who sent a mail. A table of own answers comes first: the sandbox's, which works without a network.

import { Resolver } from 'node:dns/promises'
import type { InboundPorts } from './ports.ts'

export interface MailResolverOptions {
  /** The one server to ask, as address and port. Null: the system's. */
  readonly dns: string | null
  /** What we answer ourselves; empty: there is no such record. Null: the name is not ours. */
  readonly ownNames?: (name: string, type: string) => readonly string[] | null
}

// Both bounded, since one mail may ask for dozens of names, one after another.
const tryMs = 3_000
const tries = 2

export function createMailResolver({ dns, ownNames = () => null }: MailResolverOptions): InboundPorts['resolve'] {
  const resolver = new Resolver({ timeout: tryMs, maxTimeout: tryMs, tries })
  if (dns !== null) resolver.setServers([dns])
  const noRecord = (name: string, type: string) =>
    Object.assign(new Error(`no ${type} of ${name}`), { code: 'ENOTFOUND' })
  return async (name, type) => {
    const own = ownNames(name.toLowerCase(), type)
    if (own === null) {
      const answer = (await resolver.resolve(name, type)) as string[][] | string[]
      if (isTooLong(answer)) throw noRecord(name, type)
      return answer
    }
    if (own.length === 0) throw noRecord(name, type)
    return type === 'TXT' ? own.map(text => [text]) : [...own]
  }
}

/**
 * Whoever has a domain writes its records. The TXT records of a large domain have some kilobytes, nearly all of them for others than us:
 * how much of an answer is evaluated is bounded where that is done (policy-limits.ts, and the threads that verify signatures).
 */
const answerCharsMax = 16 * 1024
const recordsMax = 100

function isTooLong(answer: string[][] | string[]): boolean {
  const chars = answer.flat().reduce((sum, text) => sum + (typeof text === 'string' ? text.length : 0), 0)
  return answer.length > recordsMax || chars > answerCharsMax
}
