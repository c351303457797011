// One commit of a sale: its statements go out in one flight, and what it finds too late undoes them all.

import type { MerchantId } from '../core/ids.ts'
import type { Committed, Created } from '../core/ports.ts'
import { type Database, type Scope, violatedConstraint, whileReconnecting } from './database.ts'

export type Refused = Exclude<Created | Committed, 'begun' | 'committed'>

/** Thrown inside a database transaction to undo it; caught where it began. */
export class Undone extends Error {
  readonly result: Refused
  constructor(result: Refused) {
    super(result)
    this.result = result
  }
}

const resultOfConstraint: { readonly [constraint: string]: Refused } = {
  idempotency_key_pkey: 'repeated',
  operation_one_capture_or_void: 'operation_open',
  // A charge that follows a failed one: the one before is not ours to settle any more, and may not have failed.
  operation_one_charge: 'lease_lost',
  operation_one_refund_each: 'repeated',
  // Of two that go on with a payment, the other was faster.
  pre_sale_request_once: 'stale',
}

/**
 * Ids that only this very write can have: meeting one in a second try means that the first went through unheard. A row that breaks two constraints
 * is told of the one whose index is older: of a Pre-Sale request, its own id.
 */
const ownKeys = new Set([
  ...['transaction_pkey', 'operation_pkey', 'event_pkey', 'delivery_once', 'pre_sale_request_pkey'],
  ...['resolution_pkey', 'customer_pkey'],
])

type Done = 'begun' | 'created' | 'committed'

/** What the work finds before the commit may undo it. */
export function inOneCommit<Is extends Done>(
  sql: Database,
  done: Is,
  work: (scope: Scope) => Promise<void>,
): Promise<Is | Refused> {
  return committed(done, () => sql.begin(work))
}

/** The same, where it locks nothing that other sales lock: then those of a merchant that come at the same time share a commit. */
export function inSharedCommit<Is extends Done>(
  sql: Database,
  merchantId: MerchantId,
  done: Is,
  work: (scope: Scope) => Promise<void>,
): Promise<Is | Refused> {
  return committed(
    done,
    () => sql.together(merchantId, work),
    () => sql.begin(work),
  )
}

/** Where nothing is counted there is nothing to wait for before the commit: alone, it goes out with its statements. */
export function atOnce<Is extends Done>(
  sql: Database,
  merchantId: MerchantId,
  done: Is,
  statements: (scope: Scope) => readonly PromiseLike<unknown>[],
): Promise<Is | Refused> {
  const work = async (scope: Scope): Promise<unknown> => Promise.all(statements(scope))
  const alone = () => sql.flight(statements)
  return committed(done, () => sql.together(merchantId, work, alone), alone)
}

/**
 * Tried again when the connection broke: every write names the version or the lease it was decided on, or brings a new id, so a try that
 * went through unheard cannot happen twice. By itself then: what broke one connection may break the next, and what went through meets
 * itself; where it brought no id, it finds that somebody was faster, and whoever asked looks at how it stands.
 */
async function committed<Is extends Done>(
  done: Is,
  commit: () => Promise<unknown>,
  commitAgain: () => Promise<unknown> = commit,
): Promise<Is | Refused> {
  let tries = 0
  return whileReconnecting(async () => {
    tries += 1
    try {
      await (tries === 1 ? commit() : commitAgain())
      return done
    } catch (error) {
      if (error instanceof Undone) return error.result
      const constraint = violatedConstraint(error)
      if (constraint !== null && ownKeys.has(constraint) && tries > 1) return done
      const result = constraint === null ? undefined : resultOfConstraint[constraint]
      if (result === undefined) throw error
      return result
    }
  })
}
