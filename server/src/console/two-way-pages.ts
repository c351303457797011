// Pages of a list that is read in both directions, newest first: `after` the last row seen, or `before` the first.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { answerText } from '../core/json.ts'
import type { Json } from '../core/offer.ts'
import type { TwoWayPage } from '../core/shown-sale.ts'
import { ApiError } from '../http/errors.ts'
import { textField } from '../http/fields.ts'
import { pageFields, pageFrom } from '../http/list-pages.ts'
import { Type } from '../http/schema.ts'

export const twoWayFields = { ...pageFields, before: Type.Optional(textField(64, 'The id of the first row seen.')) }

interface PageQuery {
  readonly limit?: number | string
  readonly after?: string
  readonly before?: string
}

export function twoWayPageFrom<Id extends string>(
  query: PageQuery,
  parse: (text: string) => Id | null,
): TwoWayPage<Id> {
  const { before: given } = query
  const before = given === undefined ? null : parse(given)
  if (given !== undefined && before === null) throw new ApiError(422, { before: 'before must be the id of a row.' })
  const page = pageFrom(query, parse)
  if (before !== null && page.after !== null)
    throw new ApiError(422, { before: 'before and after exclude each other.' })
  return { ...page, before }
}

/** `rows`: with the one more, if there is one, that says that the list goes on in this direction. */
export function sendTwoWayPage<Row, Id extends string>(
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: string,
  list: {
    readonly rows: readonly Row[]
    readonly page: TwoWayPage<Id>
    readonly idOf: (row: Row) => string
    readonly render: (row: Row) => Json
  },
): FastifyReply {
  const { page, idOf } = list
  const goesOn = list.rows.length > page.limit
  const shown = page.before === null ? list.rows.slice(0, page.limit) : list.rows.slice(-page.limit)
  const [first, last] = [shown[0], shown.at(-1)]
  const links = [
    ...(last !== undefined && (goesOn || page.before !== null) ? [link('next', 'after', idOf(last))] : []),
    ...(first !== undefined && (page.before === null ? page.after !== null : goesOn)
      ? [link('prev', 'before', idOf(first))]
      : []),
  ]
  if (links.length > 0) reply.header('Link', links.join(', '))
  return reply.send(answerText(shown.map(list.render)))

  function link(rel: string, name: 'after' | 'before', id: string): string {
    const url = new URL(request.url, baseUrl)
    url.searchParams.delete('after')
    url.searchParams.delete('before')
    url.searchParams.set(name, id)
    return `<${baseUrl}${url.pathname}${url.search}>; rel="${rel}"`
  }
}
