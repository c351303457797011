// Which job of reading mail is next. Networks take turns, and the jobs of one keep their order. After a job that took long, its network
// rests: none of its jobs is read for five times as long. Where several networks rest, it takes them as long as one after the other. So
// costly messages get a sixth of a core for each thread, however many arrive: a low priority alone still takes cores from payments where
// there are few. Jobs of networks that do not rest are read meanwhile.

import type { MailNetwork } from './turns.ts'

export interface JobQueueOptions {
  readonly threads: number
  /** No job takes longer. */
  readonly jobMaxMs: number
  readonly nowMs: () => number
}

/** A message takes longer only with large attachments, or because somebody made it hard to read. */
const usualJobMs = 10
const restTimes = 5

export class JobQueue<Job> {
  readonly #threads: number
  /**
   * Of all rests that are left, in time of one thread: as much as one network alone can have. With more, nothing is read, or many
   * networks that bring one costly message each would get more than a sixth of a core. It also limits how many are remembered: some
   * hundreds.
   */
  readonly #restsMaxMs: number
  readonly #nowMs: () => number
  /** Whose last turn is longest ago comes first. */
  readonly #lines = new Map<MailNetwork, Job[]>()
  readonly #restsMs = new Map<MailNetwork, number>()
  /** Until when time is taken off the rests. */
  #restedUntilMs = 0

  constructor({ threads, jobMaxMs, nowMs }: JobQueueOptions) {
    this.#threads = threads
    this.#restsMaxMs = threads * jobMaxMs * restTimes
    this.#nowMs = nowMs
  }

  get length(): number {
    return sum([...this.#lines.values()].map(line => line.length))
  }

  add(network: MailNetwork, job: Job): void {
    const line = this.#lines.get(network)
    if (line === undefined) this.#lines.set(network, [job])
    else line.push(job)
  }

  /** Null: there is none now; of networks that rest there may be some later. */
  next(): Job | null {
    this.#rest()
    if (sum([...this.#restsMs.values()]) > this.#restsMaxMs) return null
    for (const [network, line] of this.#lines) {
      const job = this.#restsMs.has(network) ? undefined : line.shift()
      if (job === undefined) continue
      this.#lines.delete(network)
      if (line.length > 0) this.#lines.set(network, line) // its others come after everybody else's
      return job
    }
    return null
  }

  /** Says what a job has taken. */
  took(network: MailNetwork, cpuMs: number): void {
    if (cpuMs <= usualJobMs) return
    this.#restedUntilMs += cpuMs / this.#threads // while a costly job is read, nobody rests
    this.#rest()
    this.#restsMs.set(network, (this.#restsMs.get(network) ?? 0) + cpuMs * restTimes)
  }

  takeAll(): Job[] {
    const all = [...this.#lines.values()].flat()
    this.#lines.clear()
    return all
  }

  /** The time that has passed is shared evenly: a network with an attachment does not wait for the rest of one with many. */
  #rest(): void {
    const nowMs = this.#nowMs()
    let leftMs = (nowMs - this.#restedUntilMs) * this.#threads
    if (leftMs <= 0) return
    this.#restedUntilMs = nowMs
    let resting = this.#restsMs.size
    for (const [network, restMs] of [...this.#restsMs].sort(([, one], [, other]) => one - other)) {
      const passedMs = Math.min(restMs, leftMs / resting)
      leftMs -= passedMs
      resting -= 1
      if (passedMs === restMs) this.#restsMs.delete(network)
      else this.#restsMs.set(network, restMs - passedMs)
    }
  }
}

const sum = (all: readonly number[]) => all.reduce((before, each) => before + each, 0)
