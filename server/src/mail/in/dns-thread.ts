// A thread that asks DNS: reading an answer of 64 KB, the longest that DNS allows, holds up the thread that does it for tens of
// milliseconds. What it hands over is bounded. dns-lookups.ts starts it, asks it, and ends it.

import { Resolver } from 'node:dns/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { giveWay } from './give-way.ts'

/** As `workerData`: the one server to ask, as address and port. Null: the system's. */
export type AskedServer = string | null

export interface Lookup {
  readonly id: number
  readonly name: string
  readonly type: string
}

export type LookupEnd =
  | { readonly id: number; readonly answer: string[][] | string[] }
  | { readonly id: number; readonly code: string | undefined; readonly message: string }

// Both bounded, since one mail may ask for dozens of names, one after another.
const tryMs = 3_000
const tries = 2

/**
 * Whoever has a domain writes its records. The TXT records of a large domain have some kilobytes, nearly all of them for others than us:
 * how much of an answer is evaluated is bounded where that is done (policy-limits.ts, and the threads that verify signatures).
 */
const answerCharsMax = 16 * 1024
const recordsMax = 100

const resolver = new Resolver({ timeout: tryMs, maxTimeout: tryMs, tries })
const server = workerData as AskedServer
if (server !== null) resolver.setServers([server])

async function lookUp({ id, name, type }: Lookup): Promise<LookupEnd> {
  try {
    const answer = (await resolver.resolve(name, type)) as (string | string[] | object)[]
    if (isTooLong(answer)) throw Object.assign(new Error(`no ${type} of ${name}`), { code: 'ENOTFOUND' })
    return { id, answer: answer.map(inOnePart) as string[][] | string[] }
  } catch (error) {
    // An error that is sent to another thread arrives without its code.
    const { code, message } = error as NodeJS.ErrnoException
    return { id, code, message }
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

giveWay()
parentPort?.on('message', async (lookup: Lookup) => parentPort?.postMessage(await lookUp(lookup)))
