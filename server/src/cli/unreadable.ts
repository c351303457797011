// Why a file that was named cannot be read, in words.

/** A sentence that begins with the path. */
export function unreadable(path: string, error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return `${path} does not exist.`
  if (error.code === 'EISDIR') return `${path} is a folder, not a file.`
  if (error.code === 'EACCES') return `${path} may not be read by this user.`
  return `${path} cannot be read (${error.code}).`
}
