// Bounds what SPF and DMARC cost. Both are evaluated in the event loop, on records that strangers wrote and on what they say in HELO,
// MAIL and From. So each message has a budget of work: what is over it is not handed to the library that evaluates it.

import { isIP } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import type { Envelope, InboundPorts } from './ports.ts'

type Resolve = InboundPorts['resolve']
type Answer = Awaited<ReturnType<Resolve>>

// A unit is the work for one term, or for one address that is compared: up to 8 µs. The largest honest records take some 500 for
// SPF (ten lookups, 250 terms, the hosts of an MX), and 100 for DMARC.
const spfWorkMax = 600
const dmarcWorkMax = 300
const questionWork = 10
/** Each may stand for a whole address or HELO. */
const macroWork = 10
const charsForOneUnit = 100
/** A name has 253. The library's patterns take time that grows with the square of a term's length. */
const termCharsMax = 400
const domainCharsMax = 253
/** RFC 5321, 4.5.3.1: 64 before the @, and 255 behind it. */
const addressCharsMax = 320
/** Of From. A mail is proven with one only. */
const authorsMax = 20

/** RFC 7208, 4.5: all other TXT records are left out, and explanations with them, which nobody reads here. */
const spfVersion = /^v=spf1(?: |$)/i
const hostname = /^[a-z0-9_](?:[a-z0-9_.-]{0,253}[a-z0-9_.])?$/i
const addressLiteral = /^\[(?:IPv6:)?[0-9a-f:.]{2,45}\]$/i

/** Over the budget, the result of SPF is permerror, as it is after too many lookups. */
export function limitSpfWork(resolve: Resolve): Resolve {
  const spend = createBudget(spfWorkMax)
  return async (name, type) => {
    spend(questionWork)
    const answer = await resolve(name, type)
    if (type !== 'TXT') return countReads(answer, () => spend(answer.length))
    const records = textsIn(answer).filter(text => spfVersion.test(text))
    return countReads(records, () => {
      for (const record of records) spend(workOfSpf(record))
    })
  }
}

/**
 * The library asks for a name once, and gives a copy of the answer to whoever needs it again: one record may be included ten times.
 * Each time it is read, and each time it counts.
 */
function countReads(answer: Answer, count: () => void): Answer {
  const copy = () => {
    count()
    return [...answer] as string[]
  }
  return Object.assign([...answer] as string[], { slice: copy })
}

function workOfSpf(record: string): number {
  const terms = record.split(' ').filter(term => term !== '')
  if (terms.some(term => term.length > termCharsMax)) return Number.POSITIVE_INFINITY
  const macros = record.split('%').length - 1
  return terms.length + macros * macroWork + record.length / charsForOneUnit
}

/** Over the budget it is not known what the policy is, as where DNS does not answer. The library reads each answer once. */
export function limitDmarcWork(resolve: Resolve): Resolve {
  const spend = createBudget(dmarcWorkMax)
  return async (name, type) => {
    spend(questionWork)
    const answer = await resolve(name, type)
    if (type === 'TXT') spend(textsIn(answer).join('').length / charsForOneUnit)
    return answer
  }
}

const textsIn = (answer: Answer) => answer.map(record => (typeof record === 'string' ? record : record.join('')))

function createBudget(workMax: number): (work: number) => void {
  let left = workMax
  return work => {
    left -= work
    if (left >= 0) return
    const text = 'Too much work for one message'
    throw Object.assign(new Error(text), { code: 'EPOLICYWORK', spfResult: { error: 'permerror', text } })
  }
}

export interface SpfIdentities {
  readonly sender: string
  readonly ip: string
  readonly helo: string
}

/** Null: SPF has nothing to go by. A HELO that is neither a hostname nor an address is replaced by the client's address. */
export function spfIdentities({ mailFrom, clientAddress, helo }: Envelope): SpfIdentities | null {
  if (mailFrom === null || mailFrom === '' || clientAddress === null) return null
  if (mailFrom.length > addressCharsMax) return null
  const isHost = helo !== null && isIP(helo) === 0 && (hostname.test(helo) || addressLiteral.test(helo))
  const address = helo !== null && isIP(helo) !== 0 ? helo : clientAddress
  return { sender: mailFrom, ip: clientAddress, helo: isHost ? helo : `[${address}]` }
}

/** None where there are more, or longer ones, than a mail that is proven can have: then DMARC says nothing. */
export function authorsForDmarc(fromAddresses: readonly string[]): string[] {
  const isBounded = fromAddresses.length <= authorsMax && fromAddresses.every(({ length }) => length <= addressCharsMax)
  return isBounded ? [...fromAddresses] : []
}

/**
 * As DNS is asked for it. Empty: it is no domain, or DNS would be asked for another name than a browser shows: browsers drop soft hyphens, and read
 * full-width letters as plain ones. For a label of thousands of letters Unicode's rules take 30 ms.
 */
export function asciiDomain(domain: string): string {
  if (domain.length > domainCharsMax) return ''
  const ascii = domainToASCII(domain)
  const [labels, inLetters] = [ascii.split('.'), domainToUnicode(ascii).split('.')]
  const given = domain.normalize('NFC').toLowerCase().split('.')
  const isPlain = given.every((label, place) => label === labels[place] || label === inLetters[place])
  return isPlain && given.length === labels.length ? ascii : ''
}
