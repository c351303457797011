// A thread that asks DNS: reading an answer of 64 KB, the longest that DNS allows, holds up the thread that does it for tens of
// milliseconds. What it hands over is bounded. dns-lookups.ts starts it, asks it, and ends it.

import { Resolver } from 'node:dns/promises'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { tooLongCode } from './dns-errors.ts'
import { giveWay } from './give-way.ts'

/** As `workerData`. */
export interface DnsOptions {
  /** The one server to ask, as address and port. Null: the system's. */
  readonly server: string | null
  /** How long it is waited for an answer, at the first try and at the next. */
  readonly tryMs: number
  /** Whether payments go first where there are not enough cores for both. */
  readonly givesWay: boolean
}

export interface Lookup {
  readonly id: number
  readonly name: string
  readonly type: string
}

/** `cpuMs`: what reading the answer has taken, and those that were read at the same time in equal parts. */
export type LookupEnd = { readonly id: number; readonly cpuMs: number } & (
  | { readonly answer: string[][] | string[] }
  | { readonly code: string | undefined; readonly message: string }
)

const tries = 2

/**
 * Whoever has a domain writes its records. The TXT records of a large domain have some kilobytes, nearly all of them for others than us:
 * how much of an answer is evaluated is bounded where that is done (policy-limits.ts, and the threads that verify signatures).
 */
const answerCharsMax = 16 * 1024
const recordsMax = 100

type Found =
  | { readonly answer: string[][] | string[] }
  | { readonly code: string | undefined; readonly message: string }

async function lookUp(resolver: Resolver, { name, type }: Lookup): Promise<Found> {
  try {
    const answer = (await resolver.resolve(name, type)) as (string | string[] | object)[]
    if (isTooLong(answer)) return { code: tooLongCode, message: `the answer for ${type} of ${name} is too long` }
    return { answer: answer.map(inOnePart) as string[][] | string[] }
  } catch (error) {
    // An error that is sent to another thread arrives without its code.
    const { code, message } = error as NodeJS.ErrnoException
    return { code, message }
  }
}

function isTooLong(answer: readonly (string | string[] | object)[]): boolean {
  const chars = answer.flat().reduce<number>((sum, text) => sum + (typeof text === 'string' ? text.length : 0), 0)
  return answer.length > recordsMax || chars > answerCharsMax
}

/** A TXT record may come in 60,000 parts, all of them empty. Together they are one text (RFC 7208, 3.3; RFC 6376, 3.6.2.2). */
function inOnePart<Answered>(record: Answered): Answered | [string] {
  return Array.isArray(record) ? [record.join('')] : record
}

/**
 * This thread does nothing but read answers. Node hands all over that were read in one turn of the event loop one after the other, before
 * it tells how long the turn took: so that they share its time.
 */
class Costs {
  readonly #tell: (end: LookupEnd) => void
  #known = process.threadCpuUsage()
  #latest = this.#known
  #turn: (Found & { id: number })[] = []

  constructor(tell: (end: LookupEnd) => void) {
    this.#tell = tell
  }

  end(id: number, found: Found): void {
    this.#latest = process.threadCpuUsage()
    if (this.#turn.push({ id, ...found }) === 1) setImmediate(() => this.#endTurn())
  }

  #endTurn(): void {
    const turn = this.#turn.splice(0)
    const { user, system } = this.#latest
    const cpuMs = (user + system - this.#known.user - this.#known.system) / 1_000 / turn.length
    this.#known = this.#latest
    for (const end of turn) this.#tell({ ...end, cpuMs })
  }
}

function serve(port: MessagePort, { server, tryMs, givesWay }: DnsOptions): void {
  if (givesWay) giveWay()
  const resolver = new Resolver({ timeout: tryMs, maxTimeout: tryMs, tries })
  if (server !== null) resolver.setServers([server])
  const costs = new Costs(end => port.postMessage(end))
  port.on('message', async (lookup: Lookup) => costs.end(lookup.id, await lookUp(resolver, lookup)))
}

if (parentPort !== null) serve(parentPort, workerData as DnsOptions)
