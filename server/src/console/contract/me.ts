// Who is signed in, and where: what every page of the dashboard knows.

export type Role = 'viewer' | 'developer' | 'owner'

export interface Me {
  readonly email: string
  readonly role: Role
  /** Null: as the browser says. */
  readonly language: 'en' | 'es' | null
  /** Whether a code is asked for beside the password. */
  readonly second_factor: boolean
  readonly merchant: {
    readonly id: string
    readonly name: string
    readonly partner: string
    readonly partner_id: number
    readonly currency: string
  }
  readonly mode: 'sandbox' | 'live'
  /** The demo merchant alone may move the clock, and has an inbox of hooks and mails. */
  readonly is_demo: boolean
  readonly base_url: string
  /** The service's time: what the sandbox moved it by is in it. */
  readonly now: string
  readonly clock_offset_s: number
  /** To be sent as X-CSRF-Token with everything but GET. */
  readonly csrf_token: string
}

/** POST /console/session */
export interface SignIn {
  readonly email: string
  readonly password: string
  /** From the authenticator, or one of the recovery codes. */
  readonly code?: string
}

/** What is refused; `needs` says that the password was right and a code is missing. */
export interface NotSignedIn {
  readonly errors: { readonly [field: string]: string }
  readonly needs?: 'code'
}
