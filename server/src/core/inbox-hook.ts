// A hook as the demo merchant's inbox received it.

import type { InboxHookId } from './ids.ts'

export interface InboxHook {
  readonly id: InboxHookId
  readonly at: Date
  /** The last part of the address it was posted to. */
  readonly path: string
  readonly details: string
  readonly signature: string
  readonly verified: boolean
}
