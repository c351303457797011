// Customers, and the payment methods attached to them; and the small things that can only be read.

import { bankOf, declineSentence, isAttachable, methodNamed } from './cards.ts'
import { metadataIn, textIn } from './form.ts'
import { page } from './listing.ts'
import type { Kind } from './objects.ts'
import type { Call } from './payment-intents.ts'
import { aboutPayment } from './refunds.ts'
import { failure, invalid, missing, ok, type Reply } from './reply.ts'

export function account({ state }: Call): Reply {
  const enabled = { charges_enabled: true, payouts_enabled: true, details_submitted: true }
  const { accountId: id } = state
  return ok({
    id,
    object: 'account',
    type: 'standard',
    country: 'US',
    default_currency: 'usd',
    email: null,
    ...enabled,
  })
}

export function createCustomer({ state, form }: Call): Reply {
  const customer = state.add<'customer'>({
    id: state.newId('cus'),
    object: 'customer',
    created: state.nowS(),
    description: textIn(form, 'description'),
    email: textIn(form, 'email'),
    livemode: false,
    metadata: metadataIn(form),
    name: textIn(form, 'name'),
  })
  state.tell('customer.created', customer)
  const name = textIn(form, 'payment_method')
  if (name === null) return ok(structuredClone(customer))
  const attached = attach(name, customer.id, state)
  return attached.status === 200 ? ok(structuredClone(customer)) : attached
}

export function deleteCustomer({ state, id }: Call): Reply {
  const customer = state.find('customer', id)
  if (customer === null) return missing('customer', id)
  for (const method of state.all('payment_method')) {
    if (method.customer !== id) continue
    method.customer = null
    state.detached.add(method.id)
  }
  state.tell('customer.deleted', customer)
  return ok({ id, object: 'customer', deleted: true })
}

export function attachMethod({ state, id, form }: Call): Reply {
  return attach(id, textIn(form, 'customer') ?? '', state)
}

function attach(name: string, customerId: string, state: Call['state']): Reply {
  if (state.find('customer', customerId) === null) return missing('customer', customerId, 'customer')
  const method = methodNamed(state, name)
  if (method === null) return missing('PaymentMethod', name)
  const code = 'payment_method_unexpected_state'
  if (state.detached.has(method.id))
    return invalid('This PaymentMethod was detached and may not be used again.', { code })
  if (method.customer !== null && method.customer !== customerId) {
    return invalid('The payment method is attached to another customer already.', { code })
  }
  const bank = bankOf(state, method)
  if (bank.kind === 'declines' && !isAttachable(method)) {
    const { code, decline_code } = bank
    return failure(402, { type: 'card_error', code, decline_code, message: declineSentence(bank) })
  }
  method.customer = customerId
  state.tell('payment_method.attached', method)
  return ok(structuredClone(method))
}

export function detachMethod({ state, id }: Call): Reply {
  const method = state.find('payment_method', id)
  if (method === null) return missing('PaymentMethod', id)
  if (method.customer === null) {
    return invalid('The payment method is not attached to a customer, so detachment is impossible.')
  }
  method.customer = null
  state.detached.add(id)
  state.tell('payment_method.detached', method)
  return ok(structuredClone(method))
}

export function listMethods({ state, form }: Call): Reply {
  return page(methodsOf(state, textIn(form, 'customer')), form, '/v1/payment_methods')
}

export function listMethodsOfCustomer({ state, id, form }: Call): Reply {
  if (state.find('customer', id) === null) return missing('customer', id)
  return page(methodsOf(state, id), form, `/v1/customers/${id}/payment_methods`)
}

const methodsOf = (state: Call['state'], customer: string | null) =>
  state.all('payment_method').filter(method => method.customer !== null && method.customer === customer)

export function listDisputes({ state, form }: Call): Reply {
  return page(aboutPayment(state.all('dispute'), form), form, '/v1/disputes')
}

export function retrieving(kind: Kind): (call: Call) => Reply {
  return ({ state, id }) => {
    const found = state.find(kind, id)
    return found === null ? missing(kind, id) : ok(structuredClone(found))
  }
}
