// alert: a mail to people of the merchant's about what they should know at once. Each chooses which.

import type { Language } from './login.ts'

export const alertKinds = ['hook_dropped', 'endpoint_paused', 'in_doubt'] as const
export type AlertKind = (typeof alertKinds)[number]

/** Somebody who wants a kind. */
export interface AlertReader {
  readonly email: string
  readonly language: Language | null
}
