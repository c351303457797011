// Joins stored cards to the gateways whose vaults they are in.

import type { ApiPorts } from './api/ports.ts'
import { gatewayTimeoutMs } from './core/call-gateway.ts'
import type { Gateway, GivenCard, RemoveOwnCardOutcome, StoreCardOutcome, StoredCard } from './core/gateway.ts'
import type { CustomerId, GatewayId, MerchantId } from './core/ids.ts'
import type { Card, CardOfCustomer, Customer } from './core/people.ts'
import type { Foundation } from './foundation.ts'
import type { Joined } from './join-core.ts'
import { newCardToken } from './keys/new-ids.ts'
import {
  cardsToErase,
  customerOrKnown,
  findCard,
  findCardByRef,
  insertCard,
  insertCardCopy,
  markCardRemoved,
  upsertCustomer,
} from './store/cards.ts'
import { type Scope, violatedConstraint } from './store/database.ts'
import { emptySales, eraseCustomer, findCustomerByEmail, forgetAddress } from './store/erasure.ts'
import { findDefaultGateway, findGateway } from './store/gateways.ts'

interface InVault {
  readonly gatewayId: GatewayId
  readonly stored: StoredCard
}

async function putIntoVault(
  { ports }: Joined,
  merchantId: MerchantId,
  gatewayId: GatewayId,
  card: GivenCard,
): Promise<InVault | Exclude<StoreCardOutcome, StoredCard>> {
  const gateway = await ports.openGateway(merchantId, gatewayId)
  const outcome = await gateway.storeCard(card, AbortSignal.timeout(gatewayTimeoutMs))
  return outcome.kind === 'stored' ? { gatewayId, stored: outcome } : outcome
}

type VaultOf = { readonly gatewayId: GatewayId } | { readonly kind: 'no gateway' | 'gateway inactive' }

/** The named gateway's, or the default one's. What charges nothing takes no cards either: nobody could use them. */
async function vaultOf({ sql }: Foundation, merchantId: MerchantId, named: GatewayId | null): Promise<VaultOf> {
  const gateway = await (named === null ? findDefaultGateway(sql, merchantId) : findGateway(sql, merchantId, named))
  if (gateway === null) return { kind: 'no gateway' }
  return gateway.status === 'active' ? { gatewayId: gateway.id } : { kind: 'gateway inactive' }
}

type Storer = ApiPorts['storeCard']

type Stored = Awaited<ReturnType<Storer>>

export function cardStorer(foundation: Foundation, joined: Joined): Storer {
  const store = cardStorerWith(foundation, joined)
  return async (merchantId, asked) => {
    const stored = await store(merchantId, asked, byTheMerchant, async () => true)
    if (stored === 'called off') throw new Error('a card was called off that nothing hung on')
    return stored
  }
}

/** Written in one commit with the card. False: the card is not to be stored after all. */
type Along = (scope: Scope, token: Card['token']) => Promise<boolean>
type StorerWith = (...given: [...Parameters<Storer>, Keeping, Along]) => Promise<Stored | 'called off'>

/** On what terms a card is kept, and what is written of its customer. */
export interface Keeping
  extends Pick<Card, 'consentedAt' | 'confirmedAt' | 'removeAt'>,
    Pick<Customer, 'billing' | 'shipping'> {
  /** Whether what was given may change what is known: not by whoever has not proven to be that customer. */
  readonly refreshesCustomer: boolean
}

export const byTheMerchant: Keeping = {
  consentedAt: null,
  confirmedAt: null,
  removeAt: null,
  billing: null,
  shipping: null,
  refreshesCustomer: true,
}

export function cardStorerWith(foundation: Foundation, joined: Joined): StorerWith {
  return async (merchantId, asked, keeping, along) => {
    const vault = await vaultOf(foundation, merchantId, asked.gatewayId)
    if ('kind' in vault) return vault
    const { gatewayId } = vault
    const put = await putIntoVault(joined, merchantId, gatewayId, asked.card)
    if (!('stored' in put)) return put
    const kept = await keepCard(foundation, merchantId, asked, keeping, put, along)
    if (kept === 'called off') {
      const gateway = await joined.ports.openGateway(merchantId, gatewayId)
      await gateway.removeOwnCard(put.stored.cardRef, AbortSignal.timeout(gatewayTimeoutMs))
    }
    return kept
  }
}

/** Undoes a commit. */
class CalledOffError extends Error {}

/** A name that is known already is the same card: storing it again, as one does who heard no answer, changes nothing. */
async function keepCard(
  foundation: Foundation,
  merchantId: MerchantId,
  asked: Parameters<Storer>[1],
  keeping: Keeping,
  { gatewayId, stored }: InVault,
  along: Along,
): ReturnType<StorerWith> {
  const { sql, clock, newUuid } = foundation
  const { fingerprint, kind: _, ...described } = stored
  const known = await findCardByRef(sql, merchantId, { gatewayId, cardRef: stored.cardRef })
  if (known !== null) {
    // Of a visitor's card a name in a vault is no proof: what was just entered is not here yet.
    const isNamedByMerchant = 'reference' in asked.card
    if (known.customer.email !== asked.email || !isNamedByMerchant) return { kind: 'of another customer' }
    await sql.begin(scope => along(scope, known.card.token)) // the card is there, whatever hangs on it
    return { stored: known }
  }
  const { email, firstName, lastName } = asked
  const { refreshesCustomer, billing, shipping, ...terms } = keeping
  const facts = { email, firstName, lastName, smsNumber: null, billing, shipping }
  const customer: Customer = { id: newUuid() as CustomerId, ...facts }
  const writeCustomer = refreshesCustomer ? upsertCustomer : customerOrKnown
  const createdAt = clock.now()
  const token = newCardToken()
  try {
    await sql.begin(async scope => {
      const customerId = await writeCustomer(scope, merchantId, customer, createdAt)
      const card: Card = { ...described, ...terms, token, customerId, gatewayId, removedAt: null, createdAt }
      await insertCard(scope, merchantId, card, fingerprint)
      if (!(await along(scope, token))) throw new CalledOffError()
    })
  } catch (error) {
    if (error instanceof CalledOffError) return 'called off'
    if (violatedConstraint(error) !== 'card_one_per_ref') throw error
    return keepCard(foundation, merchantId, asked, keeping, { gatewayId, stored }, along) // at the same moment: the first one's is there now
  }
  return { stored: await present(foundation, merchantId, token) }
}

async function present({ sql }: Foundation, merchantId: MerchantId, token: Card['token']): Promise<CardOfCustomer> {
  const found = await findCard(sql, merchantId, token)
  if (found === null) throw new Error('a stored card is gone')
  return found
}

/** The same card in another gateway's vault. What is not the same card is left there: it is not ours to take out. */
export function cardCopier(foundation: Foundation, joined: Joined): ApiPorts['copyCard'] {
  const { sql, clock } = foundation
  return async (merchantId, found, asked) => {
    const { card, vaults } = found
    const vault = await vaultOf(foundation, merchantId, asked.gatewayId)
    if ('kind' in vault) return vault
    const { gatewayId } = vault
    const there = vaults.find(vault => vault.gatewayId === gatewayId)
    if (there?.cardRef === asked.reference) return { stored: found }
    // Also where there is one already: what it calls the card of this reference, only the gateway can say.
    const put = await putIntoVault(joined, merchantId, gatewayId, { reference: asked.reference })
    if (!('stored' in put)) return put
    const { cardRef, fingerprint } = put.stored
    const copy = { gatewayId, cardRef, fingerprint, createdAt: clock.now() }
    const known = await findCardByRef(sql, merchantId, copy)
    // Making it again, as one does who heard no answer, changes nothing.
    if (known?.card.token === card.token) return { stored: known }
    if (there !== undefined) return { kind: 'there already' }
    if (!isSameCard(card, put.stored)) return { kind: 'another card' }
    if (known !== null) return { kind: 'a card of its own' }
    const written = await sql.begin(scope => insertCardCopy(scope, merchantId, card.token, copy))
    if (written === 'gone') return { kind: 'gone' }
    const stored = await present(foundation, merchantId, card.token)
    const isThere = stored.vaults.some(each => each.gatewayId === gatewayId && each.cardRef === cardRef)
    return isThere ? { stored } : { kind: 'there already' } // another one was faster
  }
}

/** As far as can be told: each gateway has fingerprints of its own, and nobody may compare numbers. */
function isSameCard(card: Card, other: StoredCard): boolean {
  return card.mask === other.mask && card.expiryMonth === other.expiryMonth && card.expiryYear === other.expiryYear
}

type RemoveAt = (gateway: Gateway, cardRef: string, signal: AbortSignal) => Promise<RemoveOwnCardOutcome>

/** Out of every vault, then here: one gateway that does not answer, and nothing is marked. */
export function cardRemover(
  { sql, clock }: Foundation,
  { ports }: Joined,
  removeAt: RemoveAt = (gateway, ...card) => gateway.removeCard(...card),
): ApiPorts['removeCard'] {
  return async (merchantId, found) => {
    const { token } = found.card
    let vaults = found.vaults
    for (;;) {
      for (const { gatewayId, cardRef } of vaults) {
        const gateway = await ports.openGateway(merchantId, gatewayId)
        const outcome = await removeAt(gateway, cardRef, AbortSignal.timeout(gatewayTimeoutMs))
        if (outcome.kind === 'unknown') return 'unknown'
      }
      if (await markCardRemoved(sql, merchantId, token, vaults, clock.now())) return 'removed'
      vaults = (await findCard(sql, merchantId, token))?.vaults ?? vaults
    }
  }
}

/**
 * For a card that was given for one payment. What is gone already is removed. What somebody else put into a vault stays there,
 * unless the merchant had its customer erased.
 */
export function spentCardRemover(foundation: Foundation, joined: Joined) {
  const removeAll = cardRemover(foundation, joined)
  const removeOwn = cardRemover(foundation, joined, (gateway, ...card) => gateway.removeOwnCard(...card))
  return async (merchantId: MerchantId, token: Card['token']): Promise<'removed' | 'unknown'> => {
    const found = await findCard(foundation.sql, merchantId, token)
    if (found === null) return 'removed'
    const isErased = found.customer.email === null
    return isErased ? removeAll(merchantId, found) : removeOwn(merchantId, found)
  }
}

const cardsAtOnce = 100

/** Cards go at their gateways first: when one does not answer, nothing is erased yet and the call can be made again. */
export function customerEraser(foundation: Foundation, joined: Joined): ApiPorts['eraseCustomer'] {
  const { sql, clock } = foundation
  const remove = cardRemover(foundation, joined)
  return async (merchantId, email) => {
    // First, so that no card is added to those that are removed. Who was only sent a link is no customer yet.
    const traces = await sql.begin(scope => forgetAddress(scope, merchantId, email, clock.now()))
    const id = await findCustomerByEmail(sql, merchantId, email)
    if (id === null) return traces > 0 ? 'erased' : 'not known'
    do {
      for (const found of await cardsToErase(sql, merchantId, id, cardsAtOnce)) {
        if ((await remove(merchantId, found)) === 'unknown') return 'gateway silent'
      }
      // Not while there are more, or one has come meanwhile.
    } while (!(await sql.begin(scope => eraseCustomer(scope, merchantId, id, clock.now()))))
    await emptySales(sql, merchantId, id)
    return 'erased'
  }
}
