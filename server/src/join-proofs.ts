// Joins the proof of an address, by a mailed link, to the mail, the database and the checkout that it is for. Whether the
// address belongs to a customer is looked up nowhere here: nothing that is said or done can depend on it.

import { lowerCaseEmail } from './core/email.ts'
import { ourPageUrl } from './core/offer.ts'
import type { Foundation } from './foundation.ts'
import { checkoutNamed } from './join-checkout-payment.ts'
import type { Joined } from './join-core.ts'
import { letterhead } from './join-outbox.ts'
import { tries } from './join-tries.ts'
import { newProofSecret, secretHash } from './keys/new-ids.ts'
import type { Mail } from './mail/mailer.ts'
import type { Post } from './mail/post.ts'
import type { FoundOffer, ProofAsked, ProofPorts } from './pages/checkout/ports.ts'
import { proofMail } from './pages/mails/told.ts'
import { wordsFor } from './pages/words/words.ts'
import { type AddressProof, findProof, insertProof, type NamedProof, useProof } from './store/address-proofs.ts'
import { confirmCardsOf, proveCheckout } from './store/checkouts.ts'

/** Long enough for a slow mail. The words of the mail say it too. */
const lifeMs = 3_600_000

export function proofPorts(
  foundation: Foundation,
  joined: Joined,
  post: Post,
): Omit<ProofPorts, 'whoIs' | 'cardToConfirm'> {
  const { sql } = foundation
  const { now } = joined.ports
  const { take, giveBack } = tries(foundation)
  /** A link is used up in one commit with what it proves the address for. */
  const usedFor =
    (write: typeof proveCheckout): ProofPorts['use'] =>
    async (found, secret, checkout) => {
      const email = await sql.begin(async scope => {
        const proven = await useProof(scope, namedBy(found, secret), now())
        if (proven !== null) await write(scope, checkoutNamed(found.offer, checkout), proven, now())
        return proven
      })
      if (email !== null) await giveBack(found.offer.merchantId, 'mail', email)
      return email !== null
    }
  return {
    async ask(found, asked) {
      const { merchantId } = found.offer
      const email = lowerCaseEmail(asked.email)
      for (const [kind, name] of [['ask', asked.address] as const, ['mail', email] as const]) {
        const taken = await take(merchantId, kind, name)
        if (!taken.ok) return taken
      }
      const secret = newProofSecret()
      await insertProof(sql, newProof(found, { ...asked, email }, secret, now()))
      post.send(mailOf(foundation, joined, found, { ...asked, email }, secret))
      return { ok: true }
    },
    async find(found, secret, checkout) {
      const proof = await findProof(sql, namedBy(found, secret))
      if (proof === null) return null
      const { email, offerId, quantity, referrerContext, transactionId: resumes } = proof
      const isForSavedCard =
        checkout !== null && proof.savedCardOf?.equals(checkoutNamed(found.offer, checkout).secretSha256) === true
      return { email, offerId, quantity, referrerContext, resumes, isForSavedCard, state: stateOf(proof, now()) }
    },
    use: usedFor(proveCheckout),
    confirmCard: usedFor(confirmCardsOf),
  }
}

function namedBy({ offer }: FoundOffer, secret: string): NamedProof {
  return { merchantId: offer.merchantId, offerId: offer.id, secretSha256: secretHash(secret) }
}

function newProof(found: FoundOffer, asked: ProofAsked, secret: string, now: Date): AddressProof {
  const { email, quantity, referrerContext, resumes } = asked
  const savedCardOf = asked.savedCardOf === null ? null : checkoutNamed(found.offer, asked.savedCardOf).secretSha256
  const expiresAt = new Date(now.getTime() + lifeMs)
  const asks = { email, quantity, referrerContext, transactionId: resumes, savedCardOf }
  return { ...namedBy(found, secret), ...asks, createdAt: now, expiresAt, usedAt: null }
}

function stateOf({ usedAt, expiresAt }: AddressProof, now: Date): 'open' | 'used' | 'expired' {
  if (usedAt !== null) return 'used'
  return now < expiresAt ? 'open' : 'expired'
}

/** Nothing in it is from whoever asked: it goes to an address that may not be theirs. */
function mailOf(
  { newUuid }: Foundation,
  { ports }: Joined,
  { offer, merchant, look }: FoundOffer,
  { email, language, savedCardOf }: ProofAsked,
  secret: string,
): Mail {
  const link = `${ourPageUrl(offer.id, ports.service.baseUrl)}?proof=${secret}`
  const { supportEmail } = look
  const purpose = savedCardOf === null ? 'proof' : 'savedCard'
  const facts = { head: letterhead(ports.service, merchant, look), title: offer.title, link, purpose } as const
  return {
    about: `proof-${newUuid()}`,
    to: { name: '', address: email },
    ...proofMail(wordsFor(language), facts),
    merchant: { id: merchant.id, name: merchant.name, supportEmail },
  }
}
