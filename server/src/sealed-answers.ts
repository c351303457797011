// Answers that show a secret. Every answer to a request with an idempotency key is kept for a day, so that a repetition gets
// it byte for byte; one with a secret in it is kept sealed, because a secret at rest is nobody's to read. To leave the secret
// out of the kept answer would be simpler, and would lose it for the very client that repeats because the first answer
// got lost.

import type { MerchantId } from './core/ids.ts'
import type { Repetition } from './core/ports.ts'
import type { GivenAnswer, KeyedAnswer } from './http/answering.ts'
import type { Sealer } from './keys/sealing.ts'
import { belongsTo } from './setup/merchant.ts'
import { sealedAnswerMark } from './store/sealed-values.ts'

export interface AnswerSealer {
  /** As it is kept. */
  keep(answer: KeyedAnswer): KeyedAnswer
  /** As it was given. */
  give<Kept extends GivenAnswer>(kept: Kept): Kept
}

export function answerSealer(sealer: Sealer, merchantId: MerchantId, key: Repetition | null): AnswerSealer {
  if (key === null) return { keep: answer => answer, give: kept => kept }
  const owner = belongsTo.answer(merchantId, key.operation, key.key)
  return {
    keep({ text, showsSecret, ...answer }) {
      return {
        ...answer,
        text: showsSecret === true ? sealedAnswerMark + sealer.seal(text, owner).toString('base64') : text,
      }
    },
    give(kept) {
      if (!kept.text.startsWith(sealedAnswerMark)) return kept
      return { ...kept, text: sealer.open(Buffer.from(kept.text.slice(sealedAnswerMark.length), 'base64'), owner) }
    },
  }
}
