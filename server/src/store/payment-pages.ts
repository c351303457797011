// How merchants' pages look. A merchant without a row has the plain look.

import type { MerchantId } from '../core/ids.ts'
import { type Logo, type Look, type LookChange, plainLook, type WholeLogo } from '../core/look.ts'
import type { Database, Scope } from './database.ts'

const plainly = ['button_color', 'background_color', 'support_email', 'return_url', 'frame_ancestors'] as const

type Row = Omit<Look, 'logo'> & { readonly logoType: Logo['type'] | null; readonly logoSha256: string | null }

export async function findLook(sql: Scope, merchantId: MerchantId): Promise<Look> {
  const [row] = await sql<Row[]>`select ${sql(plainly)}, logo_type, encode(sha256(logo), 'hex') as logo_sha256
    from payment_page where merchant_id = ${merchantId}`
  if (row === undefined) return plainLook
  const { logoType, logoSha256, ...look } = row
  return { ...look, logo: logoType === null || logoSha256 === null ? null : { type: logoType, sha256: logoSha256 } }
}

/** Null: the merchant has no logo, or another one. */
export async function findLogo(sql: Database, merchantId: MerchantId, sha256: string): Promise<WholeLogo | null> {
  const [row] = await sql<WholeLogo[]>`select logo_type as type, logo as bytes from payment_page
    where merchant_id = ${merchantId} and encode(sha256(logo), 'hex') = ${sha256}`
  return row ?? null
}

export async function saveLook(scope: Scope, merchantId: MerchantId, change: LookChange): Promise<void> {
  const { logo } = change
  const orAsItIs = (given: unknown, column: string) => (given === undefined ? scope(column) : given)
  await scope`insert into payment_page (merchant_id) values (${merchantId}) on conflict do nothing`
  await scope`update payment_page set
      button_color = ${orAsItIs(change.buttonColor, 'button_color')},
      background_color = ${orAsItIs(change.backgroundColor, 'background_color')},
      logo = ${orAsItIs(logo === null ? null : logo?.bytes, 'logo')},
      logo_type = ${orAsItIs(logo === null ? null : logo?.type, 'logo_type')},
      support_email = ${orAsItIs(change.supportEmail, 'support_email')},
      return_url = ${orAsItIs(change.returnUrl, 'return_url')},
      frame_ancestors = ${orAsItIs(change.frameAncestors, 'frame_ancestors')}
    where merchant_id = ${merchantId}`
}
