// The audit: proves from the database alone that every change of a transaction has exactly the notifications it owes, that
// every notification goes to whom it is owed as the schedule says, that the money follows from the operations, that no
// checkout has paid twice, that no card stays which was given for one payment, and that each payment by mail comes of a letter,
// uses its token once, and was answered. It reads and never writes. One merchant
// is one snapshot, so that what is committed meanwhile is not half seen; a snapshot for all would keep a busy database from
// cleaning up for as long as the audit takes.

import { faultsOfBooks } from '../core/audit/books.ts'
import { faultsOfDecisions } from '../core/audit/decided.ts'
import { faultsOfDelivery, faultsOfEvent, type KnownEndpoint, notesOnDelivery } from '../core/audit/delivery.ts'
import { faultsOfLetters, faultsOfToken, notesOnLetter } from '../core/audit/letters.ts'
import { faultsOfChanges, typeFits } from '../core/audit/owed.ts'
import { faultsOfCheckout, faultsOfLentCard } from '../core/audit/page.ts'
import type { MerchantId } from '../core/ids.ts'
import { readMailed, readOverusedTokens, readWaitingLetters } from './audit-letters.ts'
import { readCheckouts, readLentCards } from './audit-page.ts'
import {
  type AuditedDelivery,
  type AuditedEvent,
  type AuditedTransaction,
  type PageOf,
  readDeliveries,
  readEndpoints,
  readEvents,
  readLostOwed,
  readLostPreSales,
  readTransactions,
} from './audit-pages.ts'
import type { Database, Scope } from './database.ts'
import { readSetting } from './settings.ts'

export interface Finding {
  readonly merchant: MerchantId
  /** What does not fit, with its id. */
  readonly sentence: string
}

export interface Audit {
  readonly checked: Checked
  readonly findings: readonly Finding[]
  /** How many more there are than are told. */
  readonly findingsLeftOut: number
  /** What a worker is about to mend. */
  readonly notes: readonly Finding[]
  readonly notesLeftOut: number
}

const counted = [
  'merchants',
  'transactions',
  'changes',
  'events',
  'deliveries',
  'attempts',
  'payments by mail',
] as const
type Counted = (typeof counted)[number]
export type Checked = Readonly<Record<Counted, number>>

const pageSize = 500
const toldMax = 1_000
const beforeAll = '00000000-0000-0000-0000-000000000000'

/** One merchant, or all of them. */
export async function audit(sql: Database, only: MerchantId | null = null): Promise<Audit> {
  const since = new Date(String(await readSetting(sql, 'audited_since')))
  const report = newReport()
  for await (const merchantId of only === null ? allMerchants(sql) : [only]) {
    await sql.begin(async scope => {
      await scope.unsafe('set transaction isolation level repeatable read, read only')
      await auditMerchant(scope, merchantId, since, report)
    })
  }
  return report.result()
}

async function* allMerchants(sql: Database): AsyncGenerator<MerchantId> {
  for (let after = ''; ; ) {
    const rows = await sql<{ merchantId: MerchantId }[]>`select merchant_id from merchant
      where merchant_id > ${after} order by merchant_id limit ${pageSize}`
    for (const { merchantId } of rows) yield merchantId
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.merchantId
  }
}

async function auditMerchant(scope: Scope, merchantId: MerchantId, since: Date, report: Report): Promise<void> {
  const of = { scope, merchantId, since }
  report.count('merchants', 1)
  const tell = (about: string) => ({
    fault: (sentence: string) => report.fault({ merchant: merchantId, sentence: `${about} ${sentence}` }),
    note: (sentence: string) => report.note({ merchant: merchantId, sentence: `${about} ${sentence}` }),
  })
  await eachRow(of, readTransactions, row => judgeTransaction(row, tell(`transaction ${row.id}`), report))
  const endpoints = await readEndpoints(scope, merchantId)
  await eachRow(of, readEvents, row => judgeEvent(row, endpoints, tell(`event ${row.id}`), report))
  await eachRow(of, readDeliveries, row => judgeDelivery(row, tell(`delivery ${row.id}`), report))
  for (const { id } of await readLostOwed(scope, merchantId)) {
    tell(`delivery ${id}`).fault('is owed, and was never made so.')
  }
  for (const { id, ofNoTransaction } of await readLostPreSales(scope, merchantId)) {
    tell(`Pre-Sale request ${id}`).fault(
      `names ${ofNoTransaction ? 'a transaction' : 'an endpoint'} that is not there.`,
    )
  }
  await eachRow(of, readMailed, row => {
    report.count('payments by mail', row.isByMail ? 1 : 0)
    for (const fault of faultsOfLetters(row)) tell(`transaction ${row.id}`).fault(fault)
  })
  for (const row of await readOverusedTokens(scope, merchantId)) {
    for (const fault of faultsOfToken(row)) tell(`token ${row.name}`).fault(fault)
  }
  for (const row of await readWaitingLetters(scope, merchantId)) {
    for (const note of notesOnLetter(row)) tell(`letter ${row.id}`).note(note)
  }
  for (const row of await readCheckouts(scope, merchantId)) {
    for (const fault of faultsOfCheckout(row)) tell(`checkout ${row.name}`).fault(fault)
  }
  for (const row of await readLentCards(scope, merchantId)) {
    for (const fault of faultsOfLentCard(row)) tell(`card ${row.token}`).fault(fault)
  }
}

async function eachRow<Row extends { readonly id: string }>(
  of: Omit<PageOf, 'after' | 'limit'>,
  read: (page: PageOf) => Promise<readonly Row[]>,
  judge: (row: Row) => void,
): Promise<void> {
  for (let after = beforeAll; ; ) {
    const rows = await read({ ...of, after, limit: pageSize })
    rows.forEach(judge)
    const last = rows.at(-1)
    if (last === undefined || rows.length < pageSize) return
    after = last.id
  }
}

interface Tell {
  readonly fault: (sentence: string) => void
  readonly note: (sentence: string) => void
}

function judgeTransaction(row: AuditedTransaction, tell: Tell, report: Report): void {
  report.count('transactions', 1)
  report.count('changes', row.changes.length)
  for (const fault of [...faultsOfChanges(row), ...faultsOfBooks(row), ...faultsOfDecisions(row)]) tell.fault(fault)
}

function judgeEvent(row: AuditedEvent, endpoints: readonly KnownEndpoint[], tell: Tell, report: Report): void {
  report.count('events', 1)
  if (!typeFits(row)) tell.fault(`is of kind ${row.kind}, and of type ${row.type}.`)
  if (row.isOfNothing) tell.fault('names a transaction that is not there.')
  if (row.old) return
  for (const fault of faultsOfEvent(row, endpoints)) tell.fault(fault)
}

function judgeDelivery(row: AuditedDelivery, tell: Tell, report: Report): void {
  report.count('deliveries', 1)
  report.count('attempts', row.tries.length)
  for (const fault of faultsOfDelivery(row)) tell.fault(fault)
  for (const note of notesOnDelivery(row)) tell.note(note)
}

type Report = ReturnType<typeof newReport>

/** A database that is wholly broken must not fill the memory with sentences about it. */
function newReport() {
  const checked = Object.fromEntries(counted.map(what => [what, 0])) as Record<Counted, number>
  const [faults, notes] = [cappedList(), cappedList()]
  return {
    count(what: Counted, by: number) {
      checked[what] += by
    },
    fault: faults.add,
    note: notes.add,
    result: (): Audit => ({
      checked,
      findings: faults.told,
      findingsLeftOut: faults.leftOut(),
      notes: notes.told,
      notesLeftOut: notes.leftOut(),
    }),
  }
}

function cappedList() {
  const told: Finding[] = []
  let leftOut = 0
  return {
    told,
    leftOut: () => leftOut,
    add(finding: Finding) {
      if (told.length < toldMax) told.push(finding)
      else leftOut += 1
    },
  }
}
