// From a host's name to its addresses, asked anew for each attempt and kept by nobody: what was checked is what is
// connected to, and a name that moves is followed at once.
//
// c-ares is asked first because it waits without a thread. getaddrinfo holds one of the process's four threads for as
// long as a resolver is silent: a few dead names would stop every other lookup, and all work with files. But only
// getaddrinfo reads /etc/hosts and search domains, so it has the second word, for few names at once, where c-ares heard
// that a name does not exist.

import { lookup, Resolver } from 'node:dns/promises'
import { type Limit, leftMs, textOf } from './limit.ts'
import { addressesOf } from './target.ts'

export type Resolved = { readonly addresses: readonly string[] } | { readonly reason: string }
/** `by`: whose endpoint it is. */
export type Resolve = (host: string, limit: Limit, by: string) => Promise<Resolved>

/** Asks the system itself; rejects as `dns.lookup` does. */
export type AskSystem = (host: string) => Promise<readonly string[]>

const queryTimeoutMs = 1_000
const triesMax = 2
/** How long one family is waited for when the other has given addresses. */
const otherFamilyMs = 200
const systemLookupsAtOnceMax = 2

const unknownName: Resolved = { reason: 'The host name does not resolve.' }
const sayNoSuchName = ['ENOTFOUND', 'ENODATA', 'EBADNAME']

const askSystemItself: AskSystem = async host => {
  const found = await lookup(host, { all: true, order: 'ipv4first' })
  return found.map(({ address }) => address)
}

/** `dns`: the one resolver to ask, as address and port. Null: the system's, and what the system knows beside. */
export function createResolver(dns: string | null, askSystem: AskSystem = askSystemItself): Resolve {
  const resolver = new Resolver({ timeout: queryTimeoutMs, tries: triesMax })
  if (dns !== null) resolver.setServers([dns])
  const second = dns === null ? fewAtOnce(askSystem) : null
  return async (host, limit, by) => {
    const known = addressesOf(host)
    if (known !== null) return { addresses: known }
    return withinLimit(limit, async isWanted => {
      const first = await askResolver(resolver, host)
      return first === unknownName && second !== null ? second(host, by, isWanted) : first
    })
  }
}

interface Answer {
  readonly addresses: readonly string[]
  /** Why there are none. */
  readonly code: string
}

const noAnswer: Answer = { addresses: [], code: 'ETIMEOUT' }

/**
 * Both families at once. Where one has given addresses, the other has a moment left: some resolvers answer for IPv4 and
 * are silent about IPv6, and an attempt must not wait for their last word. Only addresses that came are connected to.
 */
async function askResolver(resolver: Resolver, host: string): Promise<Resolved> {
  const silence = Promise.withResolvers<Answer>()
  let timer: NodeJS.Timeout | undefined
  const heard = async (asked: Promise<string[]>): Promise<Answer> => {
    const answer = await answerOf(asked)
    if (answer.addresses.length > 0) timer ??= setTimeout(silence.resolve, otherFamilyMs, noAnswer)
    return answer
  }
  const both = [heard(resolver.resolve4(host)), heard(resolver.resolve6(host))]
  const answers = await Promise.all(both.map(each => Promise.race([each, silence.promise])))
  clearTimeout(timer)
  const addresses = answers.flatMap(answer => answer.addresses)
  return addresses.length > 0 ? { addresses } : whyNone(answers)
}

function answerOf(asked: Promise<string[]>): Promise<Answer> {
  return asked.then(
    addresses => ({ addresses, code: 'ENODATA' }),
    error => ({ addresses: [], code: String(error.code) }),
  )
}

function whyNone(answers: readonly Answer[]): Resolved {
  const trouble = answers.map(({ code }) => code).find(code => !sayNoSuchName.includes(code))
  if (trouble === undefined) return unknownName
  return { reason: trouble === 'ETIMEOUT' ? 'The resolver does not answer.' : `The resolver fails (${trouble}).` }
}

type IsWanted = () => boolean

async function withinLimit(limit: Limit, ask: (isWanted: IsWanted) => Promise<Resolved>): Promise<Resolved> {
  const { promise, resolve } = Promise.withResolvers<Resolved>()
  let isWanted = true
  const timer = setTimeout(() => {
    isWanted = false
    resolve({ reason: `The host name was not resolved ${textOf(limit)}.` })
  }, leftMs(limit))
  const resolved = await Promise.race([promise, ask(() => isWanted)])
  clearTimeout(timer)
  return resolved
}

/**
 * One name at a time for each merchant: the system is silent about a dead name for ten seconds, and one merchant's must not keep
 * those of others from being asked for. Whoever's time is over when it is his turn does not ask any more.
 */
function fewAtOnce(askSystem: AskSystem): (host: string, by: string, isWanted: IsWanted) => Promise<Resolved> {
  const waiting: { readonly by: string; readonly go: () => void }[] = []
  const asking = new Set<string>()
  const begin = async (by: string) => {
    if (asking.size >= systemLookupsAtOnceMax || asking.has(by)) {
      await new Promise<void>(go => waiting.push({ by, go }))
    } else asking.add(by)
  }
  const end = (by: string) => {
    asking.delete(by)
    const at = waiting.findIndex(next => !asking.has(next.by))
    const [next] = at < 0 ? [] : waiting.splice(at, 1)
    if (next === undefined) return
    asking.add(next.by)
    next.go()
  }
  return async (host, by, isWanted) => {
    await begin(by)
    try {
      return isWanted() ? { addresses: await askSystem(host) } : unknownName
    } catch {
      return unknownName
    } finally {
      end(by)
    }
  }
}
