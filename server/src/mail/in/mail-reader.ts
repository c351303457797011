// Reads inbound email: everything whose cost depends on what a stranger wrote. The same functions run in the caller's thread, for
// the command line and for tests (read-in-this-thread.ts), or in threads of their own, for a service that has more to do
// (mail-threads.ts).

import type { ConsentVerdict } from '../../core/letter.ts'
import type { ConsentEvidence } from './consent.ts'
import type { describeMail } from './describe-mail.ts'
import type { Evidence, Judgement } from './judge.ts'
import type { keptMail } from './kept-mail.ts'
import type { verifySignatures } from './verify-signatures.ts'

/** Each is a pure function of its arguments; arguments and results are plain data that can be copied between threads. */
export interface MailReader {
  readonly describe: typeof describeMail
  readonly verifySignatures: typeof verifySignatures
  readonly judge: (evidence: Evidence) => Promise<Judgement>
  readonly judgeConsent: (evidence: ConsentEvidence) => Promise<ConsentVerdict>
  /** What of the message is kept for the days in which somebody may ask what came. */
  readonly redact: typeof keptMail
}

/** Reading it took more time or memory than any honest message needs. */
export class TooCostlyMailError extends Error {}
