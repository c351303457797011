// Changes that give access or decide where money goes are made only by who still may when they are written.

import type { Actor } from './core/actor.ts'
import { ApiError } from './http/errors.ts'
import { lockActor } from './store/actors.ts'
import type { Database, Scope } from './store/database.ts'

/** One transaction, of whoever asked for it. It throws what their next request would be refused with. */
export async function beginAs<Result>(
  sql: Database,
  actor: Actor,
  work: (scope: Scope) => Promise<Result>,
): Promise<Result> {
  return sql.begin(async scope => {
    await refuseFormerActor(scope, actor)
    return work(scope)
  })
}

/** Comes first in a transaction that was begun otherwise. */
export async function refuseFormerActor(scope: Scope, actor: Actor): Promise<void> {
  const standing = await lockActor(scope, actor)
  if (standing === 'allowed') return
  if (actor.session === null) throw ApiError.unauthorized()
  throw standing === 'unknown' ? ApiError.notSignedIn() : ApiError.notForRole(actor.session.needs)
}
