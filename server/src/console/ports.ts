// What the console needs from the rest of the service to know who asks. Each subject's own ports are in its own file.

import type { MerchantId } from '../core/ids.ts'
import type { Language, Role } from '../core/login.ts'
import type { Json } from '../core/offer.ts'
import type { ServiceFacts } from '../core/sale.ts'

/** Somebody who signed in. */
export interface SignedIn {
  readonly merchantId: MerchantId
  readonly sessionId: string
  /** What this request showed, hashed: by the time its work is done it may be good no more. */
  readonly shownSha256: Buffer
  readonly email: string
  readonly role: Role
  readonly language: Language | null
  readonly secondFactor: boolean
}

/** What a secret is that was shown: the one in force, or the one before, whose successor nobody has seen yet. */
export type Replaces = 'current' | 'former'

/** What a browser shows: whose session, which, and its secret. */
export interface SessionKey {
  readonly merchantId: MerchantId
  readonly sessionId: string
  readonly secret: string
}

/** What somebody has proven to know, as it was when they did. */
export interface ProvenLogin {
  readonly merchantId: MerchantId
  readonly email: string
  readonly proven: { readonly passwordHash: string; readonly totpSince: Date | null }
}

export interface From {
  readonly address: string
  readonly userAgent: string
}

/** A change that is about to be made; `id` of its row in the audit log. */
export interface ChangeBegun {
  readonly merchantId: MerchantId
  readonly id: string
}

export interface ConsolePorts {
  readonly service: ServiceFacts
  readonly sessions: {
    /** Null: it is none, or none any more. `replaces`: what was shown is to be replaced, as the secret or as the former one. */
    find(key: SessionKey, from: From): Promise<{ readonly who: SignedIn; readonly replaces: Replaces | null } | null>
    /** Of somebody who signed in, as it is now. Null: the session has ended, or every copy of the secret that was shown. */
    roleNow(who: SignedIn): Promise<Role | null>
    /** The secret to show from now on; null: another request has replaced it. */
    replace(who: SignedIn, as: Replaces): Promise<string | null>
    /** Null: the login is not any more what was proven. */
    begin(login: ProvenLogin, from: From): Promise<SessionKey | null>
    end(who: SignedIn): Promise<void>
    readonly wholeMaxS: number
  }
  readonly csrf: {
    of(sessionId: string): string
    fits(sessionId: string, given: string): boolean
  }
  readonly changes: {
    begin(
      by: { readonly merchantId: MerchantId; readonly email: string; readonly role: Role | null },
      change: { readonly action: string; readonly about: string | null; readonly detail: Json },
      from: From,
    ): Promise<ChangeBegun>
    end(change: ChangeBegun, ended: { readonly status: number; readonly about: string | null }): Promise<void>
  }
}
