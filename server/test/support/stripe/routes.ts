// From a method and a path to what it does.

import {
  account,
  attachMethod,
  createCustomer,
  deleteCustomer,
  detachMethod,
  listDisputes,
  listMethods,
  listMethodsOfCustomer,
  retrieving,
} from './customers.ts'
import { type Endpoint, type EndpointName, endpoints } from './endpoints.ts'
import type { Parameters } from './parameters.ts'
import {
  type Call,
  cancelIntent,
  captureIntent,
  confirmIntent,
  createIntent,
  listIntents,
  retrieveIntent,
} from './payment-intents.ts'
import { createRefund, listRefunds, retrieveRefund } from './refunds.ts'
import type { Reply } from './reply.ts'

const runs: { readonly [name in EndpointName]: (call: Call) => Reply } = {
  account,
  createCustomer,
  retrieveCustomer: retrieving('customer'),
  deleteCustomer,
  listMethodsOfCustomer,
  listMethods,
  retrieveMethod: retrieving('payment_method'),
  attachMethod,
  detachMethod,
  createIntent,
  listIntents,
  retrieveIntent,
  confirmIntent,
  captureIntent,
  cancelIntent,
  createRefund,
  listRefunds,
  retrieveRefund,
  listDisputes,
  retrieveDispute: retrieving('dispute'),
  retrieveCharge: retrieving('charge'),
  retrieveBalanceTransaction: retrieving('balance_transaction'),
}

export interface Matched {
  readonly name: EndpointName
  readonly id: string
  readonly parameters: Parameters
  readonly required: readonly string[]
  readonly run: (call: Call) => Reply
}

const patterns = Object.entries(endpoints).map(([name, endpoint]: [string, Endpoint]) => ({
  name: name as EndpointName,
  endpoint,
  path: new RegExp(`^${endpoint.path.replace('{id}', '(\\w+)')}$`),
}))

export function routeTo(method: string, path: string): Matched | null {
  const found = patterns.find(pattern => pattern.endpoint.method === method && pattern.path.test(path))
  if (found === undefined) return null
  const { name, endpoint } = found
  const id = found.path.exec(path)?.[1] ?? ''
  return { name, id, parameters: endpoint.parameters, required: endpoint.required ?? [], run: runs[name] }
}
