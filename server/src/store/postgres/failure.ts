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

const ofFolders: { readonly [code: string]: string } = {
  EROFS: 'it is on a file system that cannot be written to',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  ENOSPC: 'its disk is full',
  EDQUOT: "this user's part of its disk is used up",
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'it is a file',
  EMFILE: 'this process may open no more files (ulimit -n, LimitNOFILE)',
}

/** Why a folder cannot be used, as the end of a sentence; the system's own words where there are none here. */
export function whyNotFolder(error: unknown): string {
  return ofFolders[codeOf(error) ?? ''] ?? textOf(error)
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
