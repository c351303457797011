// What the pages of API settings ask and are told.

import type { HookKind } from './records.ts'

/** GET /console/endpoints: how each endpoint of `rest/hook_endpoints` does. */
export interface EndpointHealth {
  readonly id: string
  /** Since when every attempt has failed; null: the last one did not. */
  readonly failing_since: string | null
  readonly last_attempt: {
    readonly delivery: string
    readonly at: string
    readonly status: number | null
    readonly reason: string | null
  } | null
  /** Of the last 24 hours, counted to `counted_max`. */
  readonly delivered: number
  readonly failed: number
  /** Owed, and not delivered yet. */
  readonly waiting: number
  readonly dropped: number
  readonly counted_max: number
}

/** GET /console/api_keys */
export interface ApiKeyRecord {
  readonly id: string
  readonly name: string | null
  readonly created_by: string | null
  readonly created_at: string
  readonly last_used_at: string | null
  readonly revoked_at: string | null
}

/** POST /console/api_keys answers `{ api_key }`, the only time that the secret is shown. */
export interface NewApiKeyRecord extends ApiKeyRecord {
  readonly secret: string
}

export type PrivateKeyState = 'next' | 'current' | 'former' | 'deleted'

/** GET /console/private_keys */
export interface PrivateKeyRecord {
  readonly id: string
  readonly state: PrivateKeyState
  readonly public_key: string
  readonly compromised: boolean
  readonly created_at: string
}

/** DELETE /console/private_keys/:id answers `{ private_key, revoked }`: what ended with a key that is compromised. */
export interface RevokedWithKey {
  readonly tokens: number
  /** Offers that were registered from those tokens. */
  readonly offers: number
}

/** POST /console/private_keys/:id/show answers `{ private_key }` */
export interface ShownPrivateKeyRecord {
  readonly id: string
  readonly state: PrivateKeyState
  readonly private_key: string
}

export type SnippetLanguage = 'curl' | 'node' | 'php' | 'ruby' | 'python'

/** GET /console/snippets?kind=&endpoint= answers `{ sample }` */
export interface SampleRecord {
  readonly kind: HookKind
  /** The endpoint's, or an example. */
  readonly url: string
  readonly details: string
  readonly signature: string
  readonly partner_id: number
  readonly snippets: readonly SnippetRecord[]
}

export interface SnippetRecord {
  readonly language: SnippetLanguage
  readonly code: string
  /** The part of `code` that reads the Private Key from the environment; null: it needs none. */
  readonly reads_key: string | null
}
