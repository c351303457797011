// Pages of lists: what may be asked for, how a page is read, and how it is answered. A page is bounded in rows and in bytes, and so is what is read from the database for it: a
// merchant decides how large its rows are, and all merchants share the process.

import { setImmediate } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Page } from '../core/lists.ts'
import type { Json } from '../core/offer.ts'
import { ApiError } from './errors.ts'
import { textField, wholeNumberField } from './fields.ts'
import { inListTurn } from './list-limiter.ts'
import { Type } from './schema.ts'

export const pageFields = {
  limit: Type.Optional(wholeNumberField(1, 100, 'How many to list at most; 25 by default.')),
  after: Type.Optional(textField(64, 'The id of the last row seen.')),
}

export function pageFrom<Id extends string>(
  query: { limit?: number | string; after?: string },
  parse: (text: string) => Id | null,
): Page<Id> {
  const after = query.after === undefined ? null : parse(query.after)
  if (query.after !== undefined && after === null) throw new ApiError(422, { after: 'after must be the id of a row.' })
  return { limit: Number(query.limit ?? 25), after }
}

export interface List<Row, Id> {
  readonly page: Page<Id>
  /** Newest first. */
  readonly read: (page: Page<Id>) => Promise<readonly Row[]>
  /** It may read fewer rows than it was asked for before the list ends: only none mean the end. */
  readonly readsFewer?: true
  readonly idOf: (row: Row) => Id
  readonly render: (row: Row) => Json
}

export interface ReadPage<Id> {
  /** A JSON array, indented as every answer is. */
  readonly text: string
  /** The id to go on after; null: the list ends here. */
  readonly nextAfter: Id | null
}

/** A hundred ordinary transactions have about 150 KiB. */
export const pageBytesMax = 256 * 1024

/** Few at first, since each may be as large as a request body; then as many as probably fit. */
export const rowsAtFirst = 10

/** A page may have a next one where it is full; its address is this one's with `after` replaced. */
export async function sendPage<Row, Id extends string>(
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: string,
  list: List<Row, Id>,
): Promise<FastifyReply> {
  const { text, nextAfter } = await inListTurn(request, () => readPage(list))
  if (nextAfter !== null) {
    const next = new URL(request.url, baseUrl)
    next.searchParams.set('after', nextAfter)
    reply.header('Link', `<${baseUrl}${next.pathname}${next.search}>; rel="next"`)
  }
  return reply.send(text)
}

/** A row that does not fit any more begins the next page. The first is shown whatever its size. */
export async function readPage<Row, Id>(list: List<Row, Id>): Promise<ReadPage<Id>> {
  const { page, read, idOf, render, readsFewer = false } = list
  const texts: string[] = []
  let bytes = 0
  let { after } = page
  while (texts.length < page.limit) {
    const limit = Math.min(rowsThatFit(texts.length, bytes), page.limit - texts.length)
    const rows = await read({ limit, after })
    for (const row of rows) {
      const text = rowText(render(row))
      bytes += Buffer.byteLength(text)
      if (bytes > pageBytesMax && texts.length > 0) return { text: arrayOf(texts), nextAfter: after }
      texts.push(text)
      after = idOf(row)
      // A row of a list may take a quarter of a millisecond: others have their turn in between.
      if (texts.length % rowsAtFirst === 0) await setImmediate()
    }
    if (rows.length === 0 || (rows.length < limit && !readsFewer)) return { text: arrayOf(texts), nextAfter: null }
  }
  return { text: arrayOf(texts), nextAfter: after }
}

/** By how large those before were. */
function rowsThatFit(count: number, bytes: number): number {
  return count === 0 ? rowsAtFirst : Math.max(1, Math.ceil((pageBytesMax - bytes) / (bytes / count)))
}

/** As it stands in an indented array, with the comma and the line feed that may follow. */
function rowText(row: Json): string {
  return `${JSON.stringify([row], null, 2).slice('[\n'.length, -'\n]'.length)},\n`
}

function arrayOf(texts: readonly string[]): string {
  return texts.length === 0 ? '[]\n' : `[\n${texts.join('').slice(0, -',\n'.length)}\n]\n`
}
