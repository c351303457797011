// The merchant's people: one's own account, one's sessions, the team.

import type { Role } from './me.ts'

/** GET /console/account */
export interface AccountRecord {
  readonly email: string
  readonly role: Role
  /** Null: as the browser says. */
  readonly language: 'en' | 'es' | null
  readonly password_changed_at: string
  /** Null: no code is asked for. */
  readonly second_factor: { readonly since: string; readonly recovery_codes_left: number } | null
}

/** POST /console/account/second_factor: shown until a code confirms it. */
export interface SecondFactorBegun {
  /** To be typed where a picture cannot be read. */
  readonly secret: string
  readonly uri: string
  /** The address as a QR code: SVG. */
  readonly qr_svg: string
}

/** GET /console/account/sessions */
export interface SessionRecord {
  readonly id: string
  readonly created_at: string
  readonly seen_at: string
  readonly address: string
  readonly user_agent: string
  readonly is_this: boolean
}

/** GET /console/team */
export interface TeamRecord {
  readonly members: readonly MemberRecord[]
  readonly invitations: readonly InvitationRecord[]
}

export interface MemberRecord {
  readonly email: string
  readonly role: Role
  readonly second_factor: boolean
  readonly created_at: string
  /** Null: not signed in. */
  readonly seen_at: string | null
  readonly is_you: boolean
}

export interface InvitationRecord {
  readonly email: string
  readonly role: Role
  readonly invited_by: string | null
  readonly created_at: string
  readonly expires_at: string
  readonly is_expired: boolean
}

/** POST /console/team/invitations, and again */
export interface InvitationSent {
  readonly email: string
  readonly role: Role
  /** Only where no mail goes out: to be passed on. */
  readonly link: string | null
}

/** POST /console/links: what a mailed link is for. */
export interface LinkRecord {
  readonly kind: 'reset' | 'invitation'
  readonly email: string
  readonly merchant_name: string
  /** Of an invitation. */
  readonly role: Role | null
}

/** Why a password is not taken: `why` beside `errors`. */
export type PasswordFault = 'short' | 'long' | 'name' | 'simple' | 'common'
