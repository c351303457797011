// What a merchant's developer writes must compile, and what is wrong must not: the types are part of the package.

import { HookError, type HookStore, memoryStore, once, parseHook, Tillbell, type TransactionHook } from '@tillbell/sdk'
import { hookHandler as expressHandler } from '@tillbell/sdk/express'
import { hookPlugin } from '@tillbell/sdk/fastify'
import { hookHandler } from '@tillbell/sdk/fetch'
import { hookHandler as honoHandler } from '@tillbell/sdk/hono'
import { hookRoute } from '@tillbell/sdk/next'
import { sample, signHook } from '@tillbell/sdk/testing'
import { createToken } from '@tillbell/sdk/token'

const privateKey: string | undefined = 'key'
const store: HookStore = memoryStore()

const paid = parseHook('', privateKey, { kind: 'transaction' })
export const amount: string = paid.details.amount
export const nothing: null | string = paid.details.error
// @ts-expect-error: a Transaction has no further action
paid.details.further_action

const any = parseHook({ details: '', signature: '' }, [privateKey, undefined])
if (any.kind === 'far_or_error') any.details.further_action?.signup_url
if (any.kind === 'update' && any.details.type === 'refund') any.details.refund?.refunded_amount
// @ts-expect-error: of what has no route, FAR and Error cannot be told apart
if (any.kind === 'far') throw any

const settings = {
  privateKey: () => privateKey,
  on: {
    pre_sale: () => ({ stop: 'Sold out' }),
    transaction: once(store, (hook: TransactionHook) => Promise.resolve(hook.details.amount)),
  },
  onError: (error: unknown) => error instanceof HookError && error.code === 'bad_signature',
}
hookHandler({ privateKey, on: { transaction: once(store, async hook => hook.details.amount) } })
// @ts-expect-error: Pre-Sale wants an answer
hookHandler({ privateKey, on: { pre_sale: async () => {} } })

export const POST: (request: Request, context: { params: Promise<{ kind: string }> }) => Promise<Response> =
  hookRoute(settings)
export const handlers = [hookHandler(settings), expressHandler(settings), honoHandler(settings)]
export const plugin = hookPlugin({ path: '/hooks/:kind', ...settings })

export const signed: RequestInit = signHook(sample('update', { refund: { refunded_amount: '5.00' } }), 'key')
// @ts-expect-error: amounts are text
sample('transaction', { amount: 5 })

export const token: string = createToken({
  partnerId: 1,
  privateKey: 'key',
  servicePublicKey: 'key',
  target: { email: 'ada@example.com' },
  amount: 1,
})

const tillbell = new Tillbell({ baseUrl: '', apiKey: '', apiSecret: '' })
export const status = async (): Promise<string> => (await tillbell.transactions.get('1')).status
