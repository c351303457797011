// Who asks for a change, with what it takes to look again, when it is written, whether they still may.

import type { MerchantId } from './ids.ts'
import type { Role } from './login.ts'

export interface Actor {
  readonly merchantId: MerchantId
  /** An API key, or the email address of somebody who signed in. */
  readonly name: string
  /** Null: an API key asks. */
  readonly session: ActingSession | null
}

export interface ActingSession {
  readonly id: string
  /** The secret that the request came with, hashed. */
  readonly shownSha256: Buffer
  /** The role that may ask for this. */
  readonly needs: Role
}

/** `unknown`: the key was revoked, the person removed or signed out. `not allowed`: they have a lesser role by now. */
export type Standing = 'allowed' | 'not allowed' | 'unknown'
