import { describeMail } from './describe-mail.ts'
import { keptMail } from './kept-mail.ts'
import type { MailReader } from './mail-reader.ts'
import { verifySignatures } from './verify-signatures.ts'

export const readInThisThread: MailReader = { describe: describeMail, verifySignatures, redact: keptMail }
