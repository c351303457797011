// Links that set a password, as the service mails them and a command prints them.

import type { MerchantId } from './core/ids.ts'
import type { Foundation } from './foundation.ts'
import { newConsoleSecret, secretHash } from './keys/new-ids.ts'
import { insertLink, type LoginLink } from './store/login-links.ts'
import type { Login } from './store/logins.ts'

/** The words of the mail say it too. */
const resetLifeS = 3_600

export interface MailedLink {
  readonly kind: LoginLink['kind']
  readonly merchantId: MerchantId
  readonly secret: string
}

/** Who knows it sets a password for this login. */
export async function newResetLink({ sql }: Foundation, login: Login): Promise<MailedLink> {
  const { merchantId, email } = login
  const secret = newConsoleSecret()
  const link = { merchantId, secretSha256: secretHash(secret), kind: 'reset', email, role: null, madeBy: null } as const
  await insertLink(sql, link, resetLifeS)
  return { kind: 'reset', merchantId, secret }
}

/** Behind the #: no server's log and no other page's address has it. */
export function linkUrl(baseUrl: string, { kind, merchantId, secret }: MailedLink): string {
  return `${baseUrl}/dashboard/${kind}#${merchantId}.${secret}`
}
