// From a host's name to its addresses, asked anew for each attempt and kept by nobody: what was checked is what is
// connected to, and a name that moves is followed at once.
//
// c-ares is asked first because one thread waits for any number of its answers. getaddrinfo holds one of the process's four threads for as
// long as a resolver is silent: a few dead names would stop every other lookup, and all work with files. But only
// getaddrinfo reads /etc/hosts and search domains, so it has the second word, for few names at once, where c-ares heard
// that a name does not exist.

import { lookup } from 'node:dns/promises'
import { createTurns, inTurn } from '../../core/turns.ts'
import { tooLongCode } from '../../threads/dns-errors.ts'
import { createDnsLookups, type Resolve as LookUp } from '../../threads/dns-lookups.ts'
import { type Share, tooMuchComputing } from './computing-shares.ts'
import { type Limit, leftMs, textOf } from './limit.ts'
import { addressesOf } from './target.ts'

export type Resolved = { readonly addresses: readonly string[] } | { readonly reason: string }
export type Resolve = (host: string, limit: Limit, asker: Asker) => Promise<Resolved>

export interface Asker {
  /** Whose endpoint it is. */
  readonly merchant: string
  /** Null: of the operator, not of a merchant. */
  readonly share: Share | null
}

/** Asks the system itself; rejects as `dns.lookup` does. */
export type AskSystem = (host: string) => Promise<readonly string[]>

const tryMs = 1_000
/** Of a merchant. An answer of 64 KB takes up to 80 ms to read, and others wait for that thread. */
const namesAtOnceMax = 8
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
  const first = askedOnce(createDnsLookups({ server: dns, tryMs, givesWay: false }).resolve)
  const second = dns === null ? fewAtOnce(askSystem) : null
  return async (host, limit, asker) => {
    const known = addressesOf(host)
    if (known !== null) return { addresses: known }
    return withinLimit(limit, async isInTime => {
      const isWanted = () => isInTime() && asker.share?.isCut !== true
      const resolved = await first(host, asker, isWanted)
      return resolved === unknownName && second !== null ? second(host, asker.merchant, isWanted) : resolved
    })
  }
}

type IsWanted = () => boolean

interface Lookup {
  /** Of all who wait for it. */
  readonly wanted: IsWanted[]
  readonly resolved: Promise<Resolved>
}

/** A merchant's attempts that ask for the same name at the same time hear the same answer, which nobody keeps. */
function askedOnce(lookUp: LookUp): (host: string, asker: Asker, isWanted: IsWanted) => Promise<Resolved> {
  const turns = createTurns(namesAtOnceMax)
  const underWay = new Map<string, Lookup>()
  return (host, { merchant, share }, isWanted) => {
    const key = `${merchant} ${host}`
    const known = underWay.get(key)
    if (known !== undefined) {
      known.wanted.push(isWanted)
      return known.resolved
    }
    const wanted = [isWanted]
    const resolved = inTurn(turns, merchant, async () => {
      try {
        if (!wanted.some(isWanted => isWanted())) return { reason: tooMuchComputing }
        return await askResolver((name, type) => lookUp(name, type, cpuMs => share?.spend(cpuMs)), host)
      } finally {
        underWay.delete(key)
      }
    })
    underWay.set(key, { wanted, resolved })
    return resolved
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
async function askResolver(lookUp: LookUp, host: string): Promise<Resolved> {
  const silence = Promise.withResolvers<Answer>()
  let timer: NodeJS.Timeout | undefined
  const heard = async (asked: ReturnType<LookUp>): Promise<Answer> => {
    const answer = await answerOf(asked)
    if (answer.addresses.length > 0) timer ??= setTimeout(silence.resolve, otherFamilyMs, noAnswer)
    return answer
  }
  const both = [heard(lookUp(host, 'A')), heard(lookUp(host, 'AAAA'))]
  const answers = await Promise.all(both.map(each => Promise.race([each, silence.promise])))
  clearTimeout(timer)
  if (answers.some(({ code }) => code === tooLongCode)) return { reason: 'The host name has more than 100 addresses.' }
  const addresses = answers.flatMap(answer => answer.addresses)
  return addresses.length > 0 ? { addresses } : whyNone(answers)
}

function answerOf(asked: ReturnType<LookUp>): Promise<Answer> {
  return asked.then(
    records => ({ addresses: records.flat(), code: 'ENODATA' }),
    error => ({ addresses: [], code: String(error.code) }),
  )
}

function whyNone(answers: readonly Answer[]): Resolved {
  const trouble = answers.map(({ code }) => code).find(code => !sayNoSuchName.includes(code))
  if (trouble === undefined) return unknownName
  return { reason: trouble === 'ETIMEOUT' ? 'The resolver does not answer.' : `The resolver fails (${trouble}).` }
}

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
