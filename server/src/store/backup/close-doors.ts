// A backup is older than the world. What was ended or used up since is in force again in it, and nobody here knows what that was: so all of it ends that can be
// asked for anew, and nothing that may have been paid meanwhile is paid by itself.

import type { Json, Scope } from '../database.ts'
import { serviceTime, writeSetting } from '../settings.ts'

/** How many of each were ended. */
export interface Closed {
  readonly sessions: number
  readonly loginLinks: number
  readonly cardLinks: number
  readonly addressLinks: number
  readonly letters: number
}

/** As long as it is there, nothing new is let in: see restored.ts. */
export const restoredSetting = 'restored_from'

const letterClosed =
  'It waited when the backup was made that the database was restored from, and may have been paid since.'

export async function closeDoors(sql: Scope, takenAt: Date): Promise<Closed> {
  const now = serviceTime(sql)
  const { count: sessions } = await sql`delete from console_session`
  const { count: loginLinks } = await sql`delete from login_link`
  const { count: cardLinks } =
    await sql`update card_link set expires_at = ${now} where used_at is null and expires_at > ${now}`
  const { count: addressLinks } =
    await sql`update address_proof set expires_at = ${now} where used_at is null and expires_at > ${now}`
  // What a letter asks for has no operation yet that a gateway would know again: paid once more, it would be paid twice.
  const { count: letters } =
    await sql`update letter set state = 'done', holder = null, closed_because = ${letterClosed} where state = 'waiting'`
  // They are of processes that never knew this database: what they held is free at once.
  await sql`delete from worker`
  await writeSetting(sql, restoredSetting, { takenAt: takenAt.toISOString() } satisfies Json)
  return { sessions, loginLinks, cardLinks, addressLinks, letters }
}
