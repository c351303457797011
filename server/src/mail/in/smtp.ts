// Mail by SMTP: small limits, no login, nothing said to anybody but what they need to know.

import type { Take } from './turns.ts'

export interface SmtpOptions {
  /** How it greets. */
  readonly hostname: string
  /** PEM. Null: no STARTTLS. */
  readonly tls: { readonly cert: string; readonly key: string } | null
  readonly take: Take
  readonly isRecipient: (address: string) => Promise<boolean>
  /** A bug of ours: the sender is told to come again, and no more. */
  readonly failed: (error: unknown) => void
  readonly limits?: Partial<SmtpLimits>
}

export interface SmtpLimits {
  readonly connectionsMax: number
  readonly connectionsPerAddressMax: number
  /** Between two words of the client. */
  readonly idleMs: number
  readonly sessionMs: number
  /** Of one session, before it is over. */
  readonly unknownRecipientsMax: number
}

export interface SmtpServer {
  /** Port 0 picks a free one; answers what was picked. */
  listen(host: string, port: number): Promise<number>
  /** Lets mails under way finish. */
  close(): Promise<void>
}

export function createSmtpServer(_options: SmtpOptions): SmtpServer {
  throw new Error('not yet')
}
