import { setTimeout as pause } from 'node:timers/promises'
import { codeOf, textOf } from './failure.ts'
import { type Connection, openSession, type Session } from './session.ts'
import type { StartedBy } from './settings.ts'

// owner: the one service that supervises this PostgreSQL and stops it. guest: a command that uses it for a while.
//
// Who is what, the server itself knows, by advisory locks of living connections: the operating system closes those of
// a killed process, so there is no file that could be stale and no race between looking and taking.
//   owner lock     exclusive: held by the owner; and by the last guest, while it stops a PostgreSQL that nobody owns
//   presence lock  shared: held by each guest; exclusive: nobody else is here, and nobody can come in

/** The first key of our advisory locks; no other lock in this database uses it. The bytes of "till". */
const lockClass = 0x7469_6c6c
const ownerLock = 1
const presenceLock = 2

export interface Held {
  readonly kind: 'held'
  readonly session: Session
}

export interface Taken {
  readonly kind: 'taken'
  readonly ownerPid: number
}

/** Somebody is leaving, or PostgreSQL is: try again soon. With the owner's pid where that is who seems to leave. */
export interface Passing {
  readonly kind: 'passing'
  readonly text: string
  readonly ownerPid: number | null
}

interface Holder {
  readonly role: 'owner' | 'guest'
  readonly pid: number
}

/** Tries to become the owner. The ownership lasts as long as the session. */
export function claimOwnership(socketFolder: string, onLost: () => void): Promise<Held | Taken | Passing> {
  return claim<Taken | Passing>(openSession(socketFolder, nameOf('owner'), onLost), async sql => {
    if (await tryLock(sql, ownerLock)) return null
    const holder = await holderOf(sql)
    if (holder?.role !== 'owner') return { kind: 'passing', text: 'a command is about to stop it', ownerPid: null }
    if (isAlive(holder.pid)) return { kind: 'taken', ownerPid: holder.pid }
    // Killed a moment ago: the server is about to notice. Or it lives in another container, and the lock stays.
    return { kind: 'passing', text: `process ${holder.pid} still owns it`, ownerPid: holder.pid }
  })
}

/** Makes a guest's presence known, for as long as its session lasts. */
export function claimPresence(socketFolder: string): Promise<Held | Passing> {
  return claim<Passing>(openSession(socketFolder, nameOf('guest')), async sql => {
    const [row] = await sql`select pg_try_advisory_lock_shared(${lockClass}::int, ${presenceLock}::int) as held`
    return row?.held ? null : { kind: 'passing', text: 'a command is about to stop it', ownerPid: null }
  })
}

/**
 * Whether a leaving guest is the one to stop PostgreSQL: a guest had it started, nobody owns it, and no other guest is
 * here. If so, the session's locks keep everybody out until it is gone.
 */
export async function isLastOut({ sql }: Session, waitMaxMs: number): Promise<boolean> {
  const startedByGuest: StartedBy = 'tillbell-guest'
  const [server] = await sql`select current_setting('cluster_name') as started_by`
  if (server?.started_by !== startedByGuest) return false
  await sql`select pg_advisory_unlock_shared(${lockClass}::int, ${presenceLock}::int)`
  const until = performance.now() + waitMaxMs
  while (!(await tryLock(sql, ownerLock))) {
    // Another guest, leaving at this very moment, holds the lock just to look around: it may still see us, and then
    // leaves the stopping to us.
    if ((await holderOf(sql))?.role === 'owner' || performance.now() > until) return false
    await pause(10)
  }
  if (await tryLock(sql, presenceLock)) return true
  await sql`select pg_advisory_unlock(${lockClass}::int, ${ownerLock}::int)`
  return false
}

async function claim<Obstacle>(
  session: Session,
  obstacle: (sql: Connection) => Promise<Obstacle | null>,
): Promise<Held | Obstacle | Passing> {
  try {
    const found = await obstacle(session.sql)
    if (found === null) return { kind: 'held', session }
    await session.end()
    return found
  } catch (error) {
    await session.end()
    return { kind: 'passing', text: textOf(error), ownerPid: null }
  }
}

async function tryLock(sql: Connection, lock: number): Promise<boolean> {
  const [row] = await sql`select pg_try_advisory_lock(${lockClass}::int, ${lock}::int) as held`
  return row?.held === true
}

async function holderOf(sql: Connection): Promise<Holder | null> {
  const [row] = await sql`
    select activity.application_name as name
    from pg_locks as lock join pg_stat_activity as activity using (pid)
    where lock.locktype = 'advisory' and lock.granted and lock.mode = 'ExclusiveLock'
      and lock.database = (select oid from pg_database where datname = current_database())
      and lock.classid::int = ${lockClass}::int and lock.objid::int = ${ownerLock}::int and lock.objsubid = 2`
  const [, role, pid] = /^tillbell (owner|guest) (\d+)$/.exec(String(row?.name)) ?? []
  return role === undefined ? null : { role: role as Holder['role'], pid: Number(pid) }
}

// The session's application_name, which pg_stat_activity shows to everybody else.
function nameOf(role: Holder['role']): string {
  return `tillbell ${role} ${process.pid}`
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}
