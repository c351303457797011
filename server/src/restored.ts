// A service that was restored from a backup does not know what was paid since. Until somebody has compared its books with the gateways', it settles
// and tells what it knows of, and lets nothing new in: a client that repeats a request would be charged twice.

import { type Config, ConfigError } from './config.ts'
import { signedWithinMs } from './core/letter.ts'
import { isoTime } from './core/sale.ts'
import { restoredSetting } from './store/backup/close-doors.ts'
import type { Database } from './store/database.ts'
import { readSetting, removeSetting, writeSetting } from './store/settings.ts'

/** When the backup was made; null: the database was not restored, or was opened since. */
export async function restoredFrom(sql: Database): Promise<Date | null> {
  const kept = (await readSetting(sql, restoredSetting)) as { readonly takenAt: string } | null
  return kept === null ? null : new Date(kept.takenAt)
}

export async function refuseBeforeReopened(sql: Database, { roles }: Config): Promise<void> {
  const takenAt = roles.every(role => role === 'worker') ? null : await restoredFrom(sql)
  if (takenAt === null) return
  throw new ConfigError(
    `This database was restored from a backup of ${isoTime(takenAt)}, and what was paid since is not in it. ` +
      'Start it with TILLBELL_ROLES=worker, reconcile each gateway, and then let clients in with tillbell reopen.',
  )
}

export async function reopen(sql: Database, now: Date): Promise<void> {
  if ((await restoredFrom(sql)) === null) return
  await sql.begin(async scope => {
    await writeSetting(scope, reopenedSetting, now.toISOString())
    await removeSetting(scope, restoredSetting)
  })
}

const reopenedSetting = 'reopened_at'

/**
 * An email that was paid after the backup is not known here, and whoever has a copy may send it again. It stays young enough to be
 * taken for so long after the service was opened again.
 */
export async function mayBePaidAfterBackup(sql: Database, receivedAt: Date): Promise<boolean> {
  const reopenedAt = await readSetting(sql, reopenedSetting)
  return reopenedAt !== null && receivedAt.getTime() < Date.parse(String(reopenedAt)) + signedWithinMs
}
