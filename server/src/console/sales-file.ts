// All transactions that fit, as a file of comma-separated values: read and sent a piece at a time, no faster than it is taken,
// and no further once nobody takes it or who asked may not see it any more. A file that ends early is a download that fails: nobody
// takes it for the whole. It is written to the audit log like a change: it carries customers out of the house.

import { Readable } from 'node:stream'
import { TLSSocket } from 'node:tls'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { MerchantId, TransactionId } from '../core/ids.ts'
import { mayDo } from '../core/login.ts'
import { formatAmount } from '../core/money.ts'
import { fullName } from '../core/people.ts'
import { isoTime } from '../core/sale.ts'
import type { SaleChoice, ShownSale } from '../core/shown-sale.ts'
import { ApiError } from '../http/errors.ts'
import { fromOf, loginOf } from './guard.ts'
import type { ConsolePorts, SignedIn } from './ports.ts'
import type { TransactionPorts } from './transactions.ts'

const needs = 'viewer'
const rowsAtOnce = 200

/** A spreadsheet takes a file without it for one of its country's old encoding, and spoils every name with an accent. */
const byteOrderMark = '\u{feff}'

const columns: readonly (readonly [name: string, of: (sale: ShownSale) => string | null])[] = [
  ['id', ({ id }) => id],
  ['created_at', ({ createdAt }) => isoTime(createdAt)],
  ['status', ({ status }) => status],
  ['in_doubt', ({ inDoubt }) => (inDoubt ? 'yes' : 'no')],
  ['amount', ({ amountMinor, currency }) => formatAmount(amountMinor, currency)],
  ['captured', ({ capturedMinor, currency }) => formatAmount(capturedMinor, currency)],
  ['refunded', ({ refundedMinor, currency }) => formatAmount(refundedMinor, currency)],
  ['currency', ({ currency }) => currency],
  ['source', ({ source }) => source],
  ['customer_name', fullName],
  ['customer_email', ({ email }) => email],
  ['card_type', ({ cardType }) => cardType],
  ['card_mask', ({ cardMask }) => cardMask],
  ['offer_id', ({ offerId }) => offerId],
  ['offer_title', ({ offerTitle }) => offerTitle],
  ['offer_ref_id', ({ offerRefId }) => offerRefId],
  ['notifications', ({ told }) => told],
]

export function exportRoutes(
  app: FastifyInstance,
  ports: ConsolePorts & TransactionPorts,
  querystring: TSchema,
  choiceIn: (request: FastifyRequest) => Promise<SaleChoice | null>,
): void {
  const busy = new Set<MerchantId>()
  app.get('/transactions.csv', { config: { needs }, schema: { querystring } }, async (request, reply) => {
    const choice = await choiceIn(request)
    const who = loginOf(request)
    const { merchantId } = who
    // Each takes its part of the database from those who pay.
    if (busy.has(merchantId)) throw ApiError.tooMany('An export is under way already: wait until it is done.', 5)
    busy.add(merchantId)
    try {
      const detail = keptOf(request.query as { readonly [name: string]: string })
      request.change = await ports.changes.begin(
        who,
        { action: 'transactions_exported', about: null, detail },
        fromOf(request),
      )
    } catch (error) {
      busy.delete(merchantId)
      throw error
    }
    const file = takenOrEnded(piecesOf(ports, who, choice))
    file.once('close', () => busy.delete(merchantId))
    file.once('error', () => breakTransfer(reply))
    return reply
      .header('Content-Type', 'text/csv; charset=utf-8')
      .header('Content-Disposition', 'attachment; filename="transactions.csv"')
      .send(file)
  })
}

/** So long nobody need take anything: a place that nobody uses is for others. */
const idleMaxMs = 60_000
/** Enough for a million rows. Shorter than a session's secret is in use: at most one replaces it while the file is sent. */
const wholeMaxMs = 900_000

export function takenOrEnded(pieces: AsyncIterable<string>): Readable {
  const end = () => file.destroy(new Error('nobody takes the file'))
  let idle = setTimeout(end, idleMaxMs)
  const whole = setTimeout(() => file.destroy(new Error('the file took too long')), wholeMaxMs)
  async function* watched() {
    for await (const piece of pieces) {
      clearTimeout(idle)
      idle = setTimeout(end, idleMaxMs)
      yield piece
    }
  }
  const file = Readable.from(watched(), { objectMode: false, highWaterMark: 1 })
  file.once('close', () => {
    clearTimeout(idle)
    clearTimeout(whole)
  })
  return file
}

/** To HTTP/1.0, which proxies speak, a connection that is only closed is the end of a whole file. */
function breakTransfer({ raw: { socket } }: FastifyReply): void {
  if (socket instanceof TLSSocket) socket.destroy()
  else socket?.resetAndDestroy()
}

const keptNames = ['status', 'source', 'needs', 'offer', 'created_after', 'created_before']

/** Whom somebody looked for is not the log's business, nor what is no filter of ours. */
function keptOf(query: { readonly [name: string]: string }) {
  const kept = Object.fromEntries(Object.entries(query).filter(([name]) => keptNames.includes(name)))
  return { ...kept, ...((query.search ?? query.customer) !== undefined && { of_a_search: true }) }
}

async function* piecesOf(
  { sales, sessions }: ConsolePorts & TransactionPorts,
  who: SignedIn,
  choice: SaleChoice | null,
) {
  yield `${byteOrderMark}${lineOf(columns.map(([name]) => name))}`
  let after: TransactionId | null = null
  while (choice !== null) {
    const role = await sessions.roleNow(who)
    if (role === null || !mayDo(role, needs)) throw new Error('who asked for the file may not see it any more')
    const rows: readonly ShownSale[] = await sales.list(who.merchantId, choice, {
      limit: rowsAtOnce,
      after,
      before: null,
    })
    if (rows.length > 0) yield rows.map(row => lineOf(columns.map(([, of]) => of(row) ?? ''))).join('')
    if (rows.length < rowsAtOnce) return
    after = rows.at(-1)?.id ?? null
  }
}

function lineOf(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`
}

/**
 * What a spreadsheet would take for a formula gets an apostrophe before it: whoever names themselves so must not have it run.
 * Where commas stand in numbers, spreadsheets part at semicolons, and the rest of a name begins a cell.
 */
export function cellOf(text: string): string {
  // Cell by cell: a pattern over all of it would look at a long run of separators once for each of them.
  const cells = text.split(/([;\t\r\n])/)
  const marked = cells.map(cell => (/^[\s"]*[=+\-@＝＋－＠]/.test(cell) ? `'${cell}` : cell)).join('')
  const harmless = /^[\t\r\n]/.test(marked) ? `'${marked}` : marked
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
