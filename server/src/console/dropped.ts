// The deliveries that wait for a person: dropped not long ago, and not sent again since. As many as the first page counts.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { hookKinds } from '../core/hook-endpoint.ts'
import { type DeliveryId, type EndpointId, type MerchantId, parseUuid, type TransactionId } from '../core/ids.ts'
import type { Json } from '../core/offer.ts'
import type { DeliveryFilter, ShownDelivery } from '../core/shown-delivery.ts'
import { callerOf } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { oneOfField, textField, timeField, timeFrom } from '../http/fields.ts'
import { pageFields, pageFrom, sendPage } from '../http/list-pages.ts'
import { Type } from '../http/schema.ts'
import type { ConsolePorts } from './ports.ts'

export interface DroppedPorts {
  readonly dropped: {
    list(merchantId: MerchantId, filter: Omit<DeliveryFilter, 'state'>): Promise<readonly ShownDelivery[]>
    /** As REST shows it. */
    view(delivery: ShownDelivery): { [name: string]: Json }
  }
}

const listQuery = Type.Object({
  ...pageFields,
  kind: Type.Optional(oneOfField(hookKinds, 'Only those of this kind; generic: those that went to such an endpoint.')),
  endpoint: Type.Optional(textField(64, 'Only those to this endpoint.')),
  transaction: Type.Optional(textField(64, 'Only those about this Transaction.')),
  created_after: Type.Optional(timeField('Only those created after this time.')),
  created_before: Type.Optional(timeField('Only those created before this time.')),
})
type ListQuery = Static<typeof listQuery>

export function droppedRoutes(app: FastifyInstance, { dropped, service }: DroppedPorts & ConsolePorts): void {
  app.get<{ Querystring: ListQuery }>(
    '/dropped_deliveries',
    { config: { needs: 'viewer' }, schema: { querystring: listQuery } },
    async (request, reply) => {
      const { query } = request
      const filter = {
        ...pageFrom(query, parseUuid<DeliveryId>),
        kind: query.kind ?? null,
        endpoint: idIn<EndpointId>(query, 'endpoint'),
        transaction: idIn<TransactionId>(query, 'transaction'),
        createdAfter: query.created_after === undefined ? null : timeFrom(query.created_after),
        createdBefore: query.created_before === undefined ? null : timeFrom(query.created_before),
      }
      const { merchantId } = callerOf(request)
      return sendPage(request, reply, service.baseUrl, {
        page: filter,
        read: part => dropped.list(merchantId, { ...filter, ...part }),
        idOf: ({ id }) => id,
        render: dropped.view,
      })
    },
  )
}

function idIn<Id extends EndpointId | TransactionId>(query: ListQuery, field: 'endpoint' | 'transaction'): Id | null {
  const text = query[field]
  if (text === undefined) return null
  const id = parseUuid<Id>(text)
  if (id === null) throw new ApiError(422, { [field]: `${field} must be the id of one.` })
  return id
}
