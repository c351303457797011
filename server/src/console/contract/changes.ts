// The audit log.

import type { Role } from './me.ts'

/** GET /console/changes */
export interface ChangeRecord {
  readonly id: string
  readonly created_at: string
  /** An email address, an API key (pk_…), or `command line`. */
  readonly by: string
  readonly role: Role | null
  readonly action: string
  /** What it was done to: an id, a token, an email address. */
  readonly about: string | null
  readonly detail: { readonly [name: string]: unknown }
  readonly address: string
  readonly user_agent: string
  /** As HTTP has it. Null: it was interrupted, and how it ended is not known. */
  readonly status: number | null
}
