/**
 * Raised when the embedded PostgreSQL cannot be used. Its message is written for the person who starts Tillbell:
 * what is wrong, where, and what to do about it.
 */
export class EmbeddedDatabaseError extends Error {
  override readonly name = 'EmbeddedDatabaseError'
}

/** The code of a failed system call (`ENOENT`) or of a refused statement (`57P03`), where an error carries one. */
export function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null
  return typeof error.code === 'string' ? error.code : null
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
