// A gateway's own word that something is new. A notice only says where to look: what is there is then asked, and our rows
// are made to agree with it.

import { agreeWithGateway } from './agree.ts'
import type { Gateway, GatewayNotice, PaymentIds, PaymentNews, ReportedPayment, StoredCard } from './gateway.ts'
import type { GatewayId, MerchantId, OperationId, TransactionId } from './ids.ts'
import { isOpen } from './operation.ts'
import type { Ports } from './ports.ts'
import type { Sale } from './sale.ts'
import { reload } from './settle.ts'

export interface At {
  readonly merchantId: MerchantId
  readonly gatewayId: GatewayId
}

export interface FoundCharge {
  readonly transactionId: TransactionId
  /** A person has decided about an operation of that transaction, and may have been wrong. */
  readonly isDecided: boolean
  /** The charge that the gateway itself calls so; null: a person has decided about it, and may have given the reference. */
  readonly operationId: OperationId | null
}

export interface NoticePorts extends Ports {
  /** Null: no charge has this name there, or not yet. */
  readonly findCharge: (at: At, chargeRef: string) => Promise<FoundCharge | null>
  readonly hasCard: (at: At, cardRef: string) => Promise<boolean>
  readonly renewCard: (at: At, card: StoredCard) => Promise<void>
}

/** not_now: it should be said again later. */
export type Heard = 'done' | 'not_now'

/** Gateways do not wait long for an answer, and say it again. */
export const noticeTimeoutMs = 10_000
const looksMax = 5

export async function hearNotice(
  ports: NoticePorts,
  at: At,
  gateway: Gateway,
  notice: Exclude<GatewayNotice, { kind: 'not_authentic' }>,
): Promise<Heard> {
  const deadline = AbortSignal.timeout(noticeTimeoutMs)
  switch (notice.kind) {
    case 'nothing':
      return 'done'
    case 'card':
      return lookAtCard(ports, at, gateway, notice.cardRef, deadline)
    case 'payment':
      return hearOfPayment(ports, at, gateway, notice, deadline)
  }
}

type PaymentNotice = Extract<GatewayNotice, { kind: 'payment' }>

async function hearOfPayment(
  ports: NoticePorts,
  at: At,
  gateway: Gateway,
  { chargeRef, news }: PaymentNotice,
  deadline: AbortSignal,
): Promise<Heard> {
  let known: KnownSale | null = null
  async function find(): Promise<KnownSale | null> {
    known = await findSale(ports, at, chargeRef)
    return known
  }
  const looked = await lookAtPayment(ports, at, gateway, { chargeRef, find, news }, deadline)
  if (looked !== 'absent') return looked
  if (known !== null) alertOfAbsence(ports, at, chargeRef, known)
  return 'done'
}

/** Something became of a payment that is written here, and cannot be followed. */
function alertOfAbsence(ports: Ports, { gatewayId }: At, chargeRef: string, { sale }: KnownSale): void {
  const sentence = `The gateway told of ${chargeRef}, which is a payment of ours by its reference, and reports none of ours there. See there what became of it.`
  ports.alert(sentence, { transaction: sale.transaction.id, gateway: gatewayId })
}

export interface KnownSale extends Omit<FoundCharge, 'transactionId'> {
  readonly sale: Sale
}

export interface PaymentToLookAt {
  readonly chargeRef: string
  /** Null: not known by its name there. */
  readonly find: () => Promise<KnownSale | null>
  /** What its notice says is new; null: there was no notice, and anything may be. */
  readonly news: PaymentNews | null
}

/**
 * Asks for a payment, and makes our rows agree with it. absent: the gateway has no such payment, or it is none of ours. The
 * sale is read before the gateway is asked: what is committed over it is then no older than what it says.
 */
export async function lookAtPayment(
  ports: Ports,
  at: At,
  gateway: Gateway,
  { chargeRef, find: findByName, news }: PaymentToLookAt,
  deadline: AbortSignal,
): Promise<Heard | 'absent'> {
  let find = findByName
  for (let look = 1; look <= looksMax; look++) {
    const found = await find()
    if (found !== null && news === 'success' && isAllKnown(found, chargeRef)) return 'done'
    const known = found?.sale ?? null
    const reported = (await gateway.notices?.payment(chargeRef, deadline, idsOf(found))) ?? null
    if (reported === null) return 'absent'
    if (reported.kind === 'unknown') return 'not_now'
    // Not known by its name there, because the answer to our own sending is on its way: it says itself whose it is.
    const sale = known !== null && hasOperation(known, reported) ? known : await ownSale(ports, at, reported, known)
    if (sale === null) return 'absent'
    if (known !== null && sale !== known) {
      find = async () => knownByItsIds(await reload(ports, sale))
      continue
    }
    const agreed = await agreeWithGateway(ports, sale, at.gatewayId, reported)
    if (agreed !== 'stale') return agreed === 'agreed' ? 'done' : 'not_now'
  }
  return 'not_now'
}

/** Nothing but the ids that the payment itself bears says that it is this one's. */
export function knownByItsIds(sale: Sale): KnownSale {
  return { sale, isDecided: true, operationId: null }
}

/** Our own row is proof whose a payment is, if the gateway itself has given us the reference. */
function idsOf(found: KnownSale | null): PaymentIds | null {
  if (found === null || found.operationId === null) return null
  return { transactionId: found.sale.transaction.id, operationId: found.operationId }
}

function hasOperation({ operations }: Sale, { operationId }: ReportedPayment): boolean {
  return operations.some(({ id }) => id === operationId)
}

/** By the ids that the payment itself bears. Its name there leads elsewhere only where something is wrong. */
async function ownSale(ports: Ports, at: At, reported: ReportedPayment, known: Sale | null): Promise<Sale | null> {
  const named = await ports.store.load(at.merchantId, reported.transactionId)
  return named === null || named.transaction.id === known?.transaction.id ? known : named
}

async function findSale({ findCharge, store }: NoticePorts, at: At, chargeRef: string): Promise<KnownSale | null> {
  const found = await findCharge(at, chargeRef)
  const sale = found === null ? null : await store.load(at.merchantId, found.transactionId)
  return found === null || sale === null ? null : { ...found, sale }
}

/** Most notices of a success only repeat what the answer to our own sending said. What a person decided may still be contradicted. */
function isAllKnown({ sale, isDecided }: KnownSale, chargeRef: string): boolean {
  const { transaction, operations } = sale
  const isTaken = transaction.capturedMinor > 0n && transaction.netAmountMinor !== null
  const isMade = operations.some(({ gatewayRef, outcome }) => gatewayRef === chargeRef && outcome === 'succeeded')
  return isMade && isTaken && !isDecided && !operations.some(isOpen)
}

async function lookAtCard(
  ports: NoticePorts,
  at: At,
  gateway: Gateway,
  cardRef: string,
  deadline: AbortSignal,
): Promise<Heard> {
  if (!(await ports.hasCard(at, cardRef))) return 'done'
  const described = await gateway.describeCard(cardRef, deadline)
  if (described.kind === 'unknown') return 'not_now'
  if (described.kind === 'stored') await ports.renewCard(at, described)
  return 'done'
}
