// Reconciliation: the gateway's own list against our rows, both ways. Theirs is read as it streams, a batch at a time,
// and each entry's partner is looked up here by its name, however far apart the two clocks are; then ours is read by
// pages for what has no partner there. What grows with the span is one id for each partner found, some hundred bytes.

import type { Gateway, GatewayEntry } from './gateway.ts'
import type { OperationId } from './ids.ts'
import { type Difference, differenceOf, isStillOpen, type OurOperation } from './reconcile-entry.ts'

export interface Span {
  readonly from: Date
  /** Not itself part of it. */
  readonly to: Date
}

/** Our charges and refunds at one gateway. */
export interface OurBooks {
  /** Those with one of these names, whenever they were made. */
  find(operationIds: readonly OperationId[], gatewayRefs: readonly string[]): Promise<readonly OurOperation[]>
  /** Those made in the span that succeeded, by id. */
  succeeded(span: Span, after: OperationId | null, limit: number): Promise<readonly OurOperation[]>
  /** The latest moment at which the gateway may have done one made in the span, if it did so within this time. */
  lastDoneAt(span: Span, withinMs: number): Promise<Date | null>
}

export interface Reconciliation {
  /** Of the span: entries of theirs, and successes of ours. */
  readonly checked: { readonly theirs: number; readonly ours: number }
  readonly differences: readonly Difference[]
  readonly differencesLeftOut: number
  /** Open on both sides, or changed here while the list was read: for the next time. */
  readonly open: number
  /** The merchant uses the account elsewhere, too. */
  readonly foreign: readonly GatewayEntry[]
  readonly foreignLeftOut: number
}

const batchSize = 200
const toldMax = 1_000
/** Two clocks, and the time on the way: what was made at 23:59:59 here may be of 00:00:01 there. */
const marginMs = 60 * 60_000

export async function reconcile(
  books: OurBooks,
  gateway: Pick<Gateway, 'list' | 'promises'>,
  span: Span,
  begunAt: Date,
  signal: AbortSignal,
): Promise<Reconciliation> {
  const report = newReport()
  const seen = new Set<OperationId>()
  const listed = await spanToList(books, gateway, span)
  for await (const batch of batchesOf(gateway.list(listed, signal))) {
    await compareTheirs(books, batch, { span, keysKeptMs: gateway.promises.idempotentForMs, begunAt, seen, report })
  }
  for (let after: OperationId | null = null; ; ) {
    const page: readonly OurOperation[] = await books.succeeded(span, after, batchSize)
    for (const ours of page) {
      report.checked.ours += 1
      if (seen.has(ours.operationId)) continue
      if (changedSince(ours, begunAt)) report.open += 1
      else report.differences.add({ what: 'only_here', ours, theirs: null })
    }
    after = page.at(-1)?.operationId ?? null
    if (after === null || page.length < batchSize) return report.result()
  }
}

/** A refund in doubt is sent again for as long as the gateway keeps its key: it may be done there a day later. */
async function spanToList(books: OurBooks, { promises }: Pick<Gateway, 'promises'>, span: Span): Promise<Span> {
  const lastDoneAt = await books.lastDoneAt(span, promises.idempotentForMs)
  const untilMs = Math.max(span.to.getTime(), lastDoneAt?.getTime() ?? 0)
  return { from: new Date(span.from.getTime() - marginMs), to: new Date(untilMs + marginMs) }
}

/**
 * Whether every span that has ours lists theirs, however long it is: by the rule of `spanToList`, for this one operation. If not,
 * the span of theirs tells of the pair, or nobody who reconciles day by day hears of it.
 */
function isListedWithOurs({ createdAt, settledAt }: OurOperation, theirs: GatewayEntry, keysKeptMs: number): boolean {
  const createdMs = createdAt.getTime()
  const doneMs = Math.min(settledAt?.getTime() ?? Number.POSITIVE_INFINITY, createdMs + keysKeptMs)
  const atMs = theirs.at.getTime()
  return createdMs - marginMs <= atMs && atMs < Math.max(createdMs, doneMs) + marginMs
}

interface Comparison {
  readonly span: Span
  /** By the gateway. */
  readonly keysKeptMs: number
  readonly begunAt: Date
  readonly seen: Set<OperationId>
  readonly report: Report
}

async function compareTheirs(books: OurBooks, batch: readonly GatewayEntry[], to: Comparison): Promise<void> {
  const { span, keysKeptMs, begunAt, seen, report } = to
  const found = await books.find(...namesIn(batch))
  for (const theirs of batch) {
    if (isIn(span, theirs.at)) report.checked.theirs += 1
    const ours = partnerOf(theirs, found)
    if (ours === null) {
      if (isIn(span, theirs.at)) tellAlone(theirs, found, report)
      continue
    }
    const difference = differenceOf(ours, theirs)
    // Another record under the same operation does not show that ours is there.
    if (ours.gatewayRef === null || ours.gatewayRef === theirs.gatewayRef) seen.add(ours.operationId)
    const isToldHere =
      isIn(span, ours.createdAt) || (isIn(span, theirs.at) && !isListedWithOurs(ours, theirs, keysKeptMs))
    if (!isToldHere) continue
    if (isStillOpen(ours, theirs) || (difference !== null && changedSince(ours, begunAt))) report.open += 1
    else if (difference !== null) report.differences.add(difference)
  }
}

function namesIn(batch: readonly GatewayEntry[]): [readonly OperationId[], readonly string[]] {
  const ids = batch.flatMap(({ operationId }) => (operationId === null ? [] : [operationId]))
  const refs = batch.flatMap(({ gatewayRef, chargeRef }) => [
    gatewayRef,
    ...(chargeRef === undefined ? [] : [chargeRef]),
  ])
  return [ids, [...new Set(refs)]]
}

/**
 * By the operation that theirs names. By the reference alone only a refund of the same payment, where theirs names no operation
 * that we have (it was made at the gateway, or before a database was restored): a reference here may be wrong, and what it
 * names another's.
 */
function partnerOf(theirs: GatewayEntry, found: readonly OurOperation[]): OurOperation | null {
  const named = found.find(({ operationId }) => operationId === theirs.operationId)
  if (named !== undefined) return named.kind === theirs.kind ? named : null
  const givenBack = found.filter(each => givesBack(theirs, each)).map(({ transactionId }) => transactionId)
  const isIt = ({ kind, gatewayRef, transactionId }: OurOperation) =>
    kind === theirs.kind && gatewayRef === theirs.gatewayRef && givenBack.includes(transactionId)
  return found.find(isIt) ?? null
}

function givesBack({ chargeRef }: GatewayEntry, { kind, gatewayRef }: OurOperation): boolean {
  return chargeRef !== undefined && kind === 'charge' && gatewayRef === chargeRef
}

/** One that carries no id of ours is none of ours, unless it gives back what we took. */
function tellAlone(theirs: GatewayEntry, found: readonly OurOperation[], report: Report): void {
  const givesBackOurs = found.some(each => givesBack(theirs, each))
  const movedNothing = theirs.operationId === null && theirs.state === 'failed'
  if (theirs.operationId === null && !givesBackOurs) report.foreign.add(theirs)
  else if (!movedNothing) report.differences.add({ what: 'only_there', ours: null, theirs })
}

/** Ours is read after theirs: what was settled here in between could not yet stand in their list. */
function changedSince({ changedAt }: OurOperation, begunAt: Date): boolean {
  return changedAt !== null && changedAt > begunAt
}

function isIn({ from, to }: Span, time: Date): boolean {
  return from <= time && time < to
}

async function* batchesOf(entries: AsyncIterable<GatewayEntry>): AsyncIterable<readonly GatewayEntry[]> {
  let batch: GatewayEntry[] = []
  for await (const entry of entries) {
    batch.push(entry)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

type Report = ReturnType<typeof newReport>

function newReport() {
  const [differences, foreign] = [cappedList<Difference>(), cappedList<GatewayEntry>()]
  const report = {
    checked: { theirs: 0, ours: 0 },
    open: 0,
    differences,
    foreign,
    result: (): Reconciliation => ({
      checked: report.checked,
      differences: differences.told,
      differencesLeftOut: differences.leftOut(),
      open: report.open,
      foreign: foreign.told,
      foreignLeftOut: foreign.leftOut(),
    }),
  }
  return report
}

/** Two ledgers that have nothing in common must not fill the memory. */
function cappedList<Item>() {
  const told: Item[] = []
  let leftOut = 0
  return {
    told,
    leftOut: () => leftOut,
    add(item: Item) {
      if (told.length < toldMax) told.push(item)
      else leftOut += 1
    },
  }
}
