import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Who PostgreSQL's processes run as. */
export interface Account {
  readonly uid: number
  readonly gid: number
}

/** What may be done with a file or folder, as the bits of its mode: read 4, enter or execute 1. */
export const readAndEnter = 5
export const enter = 1

// PostgreSQL refuses to run as root. 65534 is `nobody` wherever Node 24 runs, and initdb needs an account with a name.
const unprivileged: Account = { uid: 65_534, gid: 65_534 }

export function runningAsRoot(): boolean {
  return process.getuid?.() === 0
}

/** The account for a new database: our own, or `nobody` where we are root. */
export function accountForNew(): Account {
  if (runningAsRoot()) return unprivileged
  return { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 }
}

/** The options of `spawn` that make a child run under the account; none where we are that account already. */
export function identityFor(account: Account): { uid?: number; gid?: number } {
  return runningAsRoot() ? account : {}
}

/**
 * The first folder on the way to `path`, itself included, that the account cannot enter; null where the way is free.
 * Judged by mode bits, as asking the kernel would need a process of that account before there is one.
 */
export async function blockedAt(path: string, account: Account): Promise<string | null> {
  for (const folder of wayTo(path)) {
    if (!(await allows(folder, account, enter))) return folder
  }
  return null
}

export async function allows(path: string, account: Account, wanted: number): Promise<boolean> {
  const { uid, gid, mode } = await stat(path)
  // Only the first class that fits counts, as in the kernel: an owner without a right does not get it as "others".
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0
  return ((mode >> shift) & wanted) === wanted
}

function wayTo(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [path] : [...wayTo(parent), path]
}
