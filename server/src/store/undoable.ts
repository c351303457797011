// A transaction that may find, after it has written, that it should not have.

import type { Database, Scope } from './database.ts'

class UndoneError extends Error {
  readonly result: unknown
  constructor(result: unknown) {
    super('undone')
    this.result = result
  }
}

/** `undo` leaves nothing of what was written, and its argument is the result. */
export async function undoable<Result>(
  sql: Database,
  work: (scope: Scope, undo: (result: Result) => never) => Promise<Result>,
): Promise<Result> {
  const undo = (result: Result): never => {
    throw new UndoneError(result)
  }
  try {
    return await sql.begin(scope => work(scope, undo))
  } catch (error) {
    if (error instanceof UndoneError) return error.result as Result
    throw error
  }
}
