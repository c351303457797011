// An endpoint that was paused by itself, after days of nothing but failures: what its merchant is told about it.

import type { HookEndpoint } from './hook-endpoint.ts'

export interface PausedEndpoint extends Pick<HookEndpoint, 'merchantId' | 'id' | 'kind' | 'url'> {
  /** Since when it has accepted nothing. */
  readonly failingSince: Date
  /** Notifications that wait for it. */
  readonly waiting: number
}
