// Everything a merchant's developer needs, on one sheet: the shape of demo.json and of `merchant create --json`.

import type { Foundation } from '../foundation.ts'
import type { MerchantSetup } from './merchant.ts'

export interface MerchantSheet extends MerchantSetup {
  readonly base_url: string
  readonly service_public_key: string
  readonly offer: string | null
  readonly card: string | null
  readonly mail_domain: string
  readonly mail_port: number
  readonly dashboard: { readonly url: string; readonly email: string; readonly password: string }
  readonly inbox_url: string | null
}

export function merchantSheet(
  { config, servicePublicKey }: Foundation,
  setup: MerchantSetup,
  at: {
    readonly baseUrl: string
    readonly offer?: string
    readonly card?: string
    readonly inboxUrl?: string | null
    readonly mailPort?: number | null
  },
): MerchantSheet {
  return {
    base_url: at.baseUrl,
    ...setup,
    service_public_key: servicePublicKey,
    offer: at.offer ?? null,
    card: at.card ?? null,
    mail_domain: config.mailDomain,
    mail_port: at.mailPort ?? config.mailPort,
    dashboard: { url: `${at.baseUrl}/dashboard`, ...setup.dashboard },
    inbox_url: at.inboxUrl ?? null,
  }
}
