import { judgeConsent } from './consent.ts'
import { describeMail } from './describe-mail.ts'
import { keptMail } from './kept-mail.ts'
import type { MailReader } from './mail-reader.ts'
import { verifySignatures } from './verify-signatures.ts'

export const readInThisThread: MailReader = {
  describe: describeMail,
  verifySignatures,
  async judge(evidence) {
    const { judge } = await import('./judge.ts') // with the first mail: its list of public suffixes takes 6 MB
    return judge(evidence)
  },
  judgeConsent: async evidence => judgeConsent(evidence),
  redact: keptMail,
}
