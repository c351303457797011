// What the console needs from the rest of the service to know who asks. Each subject's own ports are in its own file.

import type { MerchantId } from '../core/ids.ts'
import type { Language, Role } from '../core/login.ts'
import type { Json } from '../core/offer.ts'
import type { ServiceFacts } from '../core/sale.ts'

/** Somebody who signed in. */
export interface SignedIn {
  readonly merchantId: MerchantId
  readonly sessionId: string
  readonly email: string
  readonly role: Role
  readonly language: Language | null
  readonly secondFactor: boolean
}

/** What a browser shows: whose session, which, and its secret. */
export interface SessionKey {
  readonly merchantId: MerchantId
  readonly sessionId: string
  readonly secret: string
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
    /** Null: it is none, or none any more. `fresh`: the secret to show from now on. */
    find(key: SessionKey): Promise<{ readonly who: SignedIn; readonly fresh: string | null } | null>
    begin(login: { readonly merchantId: MerchantId; readonly email: string }, from: From): Promise<SessionKey>
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
