import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import { EmbeddedDatabaseError } from './failure.ts'
import { findPostmaster, type Postmaster } from './postmaster.ts'
import { type Answer, probe } from './probe.ts'
import { assertPrivate } from './socket-folder.ts'
import { type Attempt, startPostgres } from './start.ts'
import { createHearing } from './stuck.ts'

const pollMs = 20
const retryMs = 200
const worthMentioningMs = 2_000
// While it says itself that it recovers after a crash, or stops, patience is what helps.
const busyMaxMs = 5 * 60_000

/**
 * Returns a PostgreSQL that answers: the one that runs on this folder already, whoever started it, or else a new one.
 * Any number of processes may do this at once; PostgreSQL itself lets only one of itself run on a folder.
 */
export async function bringUp(cluster: Cluster, signal?: AbortSignal): Promise<Postmaster> {
  const patience = patienceOf(cluster)
  const hear = createHearing(cluster)
  let attempt: Attempt | null = null
  try {
    for (;;) {
      const running = await findPostmaster(cluster.folder)
      if (running !== null) {
        const answer = await ask(running, cluster)
        if (answer.kind === 'ready') return running
        // Of another's nothing is known: one that stops may still serve whom it has.
        if (running.pid === attempt?.pid) await hear(running, answer.text)
        if (patience.isOver(answer)) throw noAnswerFrom(running.pid, cluster, answer.text)
      } else if (attempt === null) {
        attempt = await startPostgres(cluster)
      } else if (attempt.ended() !== null) {
        await assertWorthRetrying(attempt, cluster, patience)
        await attempt.forget()
        attempt = null
        await pause(retryMs, undefined, { signal })
      } else if (patience.isOver(nothingSaid)) {
        throw noAnswerFrom(attempt.pid, cluster, nothingSaid.text)
      }
      await pause(pollMs, undefined, { signal })
    }
  } catch (error) {
    // What we started and do not return, nobody would look after.
    await attempt?.quit()
    throw error
  } finally {
    await attempt?.forget()
  }
}

type Unready = Exclude<Answer, { kind: 'ready' }>
const nothingSaid: Unready = { kind: 'silent', text: 'it has not begun to work' }

interface Patience {
  isOver(answer: Unready): boolean
}

function patienceOf({ silenceMaxMs, log }: Cluster): Patience {
  const begin = performance.now()
  const busyUntil = begin + busyMaxMs
  let silentUntil = begin + silenceMaxMs
  let isMentioned = false
  return {
    isOver(answer) {
      const now = performance.now()
      if (!isMentioned && now - begin > worthMentioningMs) {
        isMentioned = true
        log({ level: 'info', text: `PostgreSQL is not ready yet (${answer.text})` })
      }
      if (answer.kind === 'not yet') silentUntil = Math.min(now + silenceMaxMs, busyUntil)
      return now > silentUntil
    },
  }
}

async function ask(running: Postmaster, { folder, account }: Cluster): Promise<Answer> {
  const { socketFolder } = running
  // One that was started under another TMPDIR has its socket in another place than ours would be. Looked at only, never
  // changed: the name comes from a file that PostgreSQL's account writes, and we may be root.
  if (socketFolder !== folder && socketFolder !== '') await assertPrivate(socketFolder, account)
  return probe(socketFolder)
}

function noAnswerFrom(pid: number | null, { folder }: Cluster, text: string): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    `PostgreSQL (process ${pid}) runs on ${folder} but does not answer (${text}). Its log is in ${join(folder, 'log')}. ` +
      'End that process, or make it go on if it is suspended, and start again.',
  )
}

// After a postmaster was killed, its children need a moment to notice and end, and until then no new one may start. And
// one that starts at the same time as ours has created the lock file, but may not have written it yet.
const passing = /lock file .* (already exists|is empty)|shared memory block .* is still in use/s

async function assertWorthRetrying(attempt: Attempt, { folder }: Cluster, patience: Patience): Promise<void> {
  const output = await attempt.output()
  if (passing.test(output) && !patience.isOver(nothingSaid)) return
  throw new EmbeddedDatabaseError(
    `PostgreSQL did not start on ${folder}: ${attempt.ended()}. ${output} Its log is in ${join(folder, 'log')}.`,
  )
}
