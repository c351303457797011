// Lists, newest first, by cursor; and the objects that a request wants to see in place of their ids.

import { type Form, formIn, integerIn, textIn } from './form.ts'
import type { StripeObject } from './objects.ts'
import { invalid, missing, ok, type Reply } from './reply.ts'
import type { State } from './state.ts'

export function page(objects: readonly StripeObject[], form: Form, url: string): Reply {
  const inTime = objects.filter(({ created }) => isWithin(created, form))
  const limit = integerIn(form, 'limit') ?? 10
  const after = textIn(form, 'starting_after')
  const before = textIn(form, 'ending_before')
  const cursor = after ?? before
  const at = cursor === null ? -1 : inTime.findIndex(({ id }) => id === cursor)
  if (cursor !== null && at === -1)
    return missing('object', cursor, after === null ? 'ending_before' : 'starting_after')
  const rest = before !== null && after === null ? inTime.slice(0, at) : inTime.slice(at + 1)
  const data = before !== null && after === null ? rest.slice(-limit) : rest.slice(0, limit)
  return ok({ object: 'list', url, has_more: rest.length > limit, data: structuredClone(data) })
}

function isWithin(created: number, form: Form): boolean {
  const exact = integerIn(form, 'created')
  if (exact !== null) return created === exact
  const span = formIn(form, 'created')
  const [gt, gte, lt, lte] = ['gt', 'gte', 'lt', 'lte'].map(name => integerIn(span, name))
  return (
    created > (gt ?? -1) &&
    created >= (gte ?? 0) &&
    created < (lt ?? Number.POSITIVE_INFINITY) &&
    created <= (lte ?? Number.POSITIVE_INFINITY)
  )
}

const expandable: { readonly [object: string]: readonly string[] } = {
  payment_intent: ['customer', 'latest_charge', 'payment_method'],
  charge: ['balance_transaction', 'customer', 'payment_intent'],
  refund: ['balance_transaction', 'charge', 'payment_intent'],
  dispute: ['charge', 'payment_intent'],
  payment_method: ['customer'],
  balance_transaction: ['source'],
}

type Members = { [name: string]: unknown }
const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null

/** Null: expanded. At most four levels, as the reference says. */
export function expandIn(state: State, body: object, paths: readonly string[]): Reply | null {
  for (const path of paths) {
    const steps = path.split('.')
    const isDone = steps.length <= 4 && expandStep(state, body as Members, steps)
    if (!isDone) return invalid(`This property cannot be expanded (${path}).`, { param: 'expand' })
  }
  return null
}

function expandStep(state: State, object: Members, [step = '', ...rest]: readonly string[]): boolean {
  if (object.object === 'list') {
    const data = Array.isArray(object.data) ? object.data.filter(isMembers) : []
    return step === 'data' && data.every(each => expandStep(state, each, rest))
  }
  if (expandable[String(object.object)]?.includes(step) !== true) return false
  const inner = object[step]
  if (typeof inner === 'string') object[step] = structuredClone(state.anything(inner))
  const expanded = object[step]
  return rest.length === 0 || !isMembers(expanded) || expandStep(state, expanded, rest)
}
