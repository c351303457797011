// Links that set a password, as the service mails them and a command prints them.

import type { MerchantId } from './core/ids.ts'
import type { Foundation } from './foundation.ts'
import { newConsoleSecret, secretHash } from './keys/new-ids.ts'
import type { Scope } from './store/database.ts'
import { insertLink, type LoginLink, putInvitation } from './store/login-links.ts'
import type { Login } from './store/logins.ts'

/** The words of the mails say it too. */
const resetLifeS = 3_600
const invitationLifeS = 7 * 86_400

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

/** In the place of an earlier one. Who knows it becomes one of the merchant's people. */
export async function putNewInvitation(
  scope: Scope,
  invited: Pick<LoginLink, 'merchantId' | 'email' | 'role' | 'madeBy'>,
): Promise<MailedLink> {
  const secret = newConsoleSecret()
  const link = { ...invited, secretSha256: secretHash(secret), kind: 'invitation' } as const
  await putInvitation(scope, link, invitationLifeS)
  return { kind: 'invitation', merchantId: invited.merchantId, secret }
}

/** Behind the #: no server's log and no other page's address has it. */
export function linkUrl(baseUrl: string, { kind, merchantId, secret }: MailedLink): string {
  return `${baseUrl}/dashboard/${kind}#${merchantId}.${secret}`
}
