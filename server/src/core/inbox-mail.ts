// A mail of the demo merchant's, shown instead of sent.

import type { InboxMailId } from './ids.ts'

export interface InboxMail {
  readonly id: InboxMailId
  readonly at: Date
  readonly toAddress: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Whoever has its link comes in as one of the merchant's people. */
  readonly isPrivate: boolean
}
