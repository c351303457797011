// The merchant's people, who come in by the dashboard. An email address is one login of one merchant.

import type { MerchantId } from '../core/ids.ts'
import type { Language, Role } from '../core/login.ts'
import type { Database } from './database.ts'

export interface Login {
  readonly merchantId: MerchantId
  readonly email: string
  readonly passwordHash: string
  readonly role: Role
  readonly language: Language | null
  readonly createdAt: Date
  readonly totpSealed: Buffer | null
  /** Null: a second factor is not asked for. */
  readonly totpSince: Date | null
}

const columns = [
  ...['merchant_id', 'email', 'password_hash', 'role', 'language', 'created_at', 'totp_sealed', 'totp_since'],
] as const

export async function findLogin(sql: Database, email: string): Promise<Login | null> {
  const [row] = await sql<Login[]>`
    select ${sql(columns.map(name => `l.${name}`))} from directory d
      join login l on l.merchant_id = d.merchant_id and l.email = d.key
    where d.kind = 'login' and d.key = ${email}`
  return row ?? null
}
