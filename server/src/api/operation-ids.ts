// The names of the operations in the OpenAPI document: generated clients name their functions by them, so they stay.

const operationIds: { readonly [route: string]: string } = {
  'POST /transactions': 'createTransaction',
  'GET /transactions': 'listTransactions',
  'GET /transactions/:id': 'showTransaction',
  'POST /transactions/refunds': 'refundTransaction',
  'POST /transactions/:id/capture': 'captureTransaction',
  'POST /transactions/:id/void': 'voidTransaction',
  'POST /offers': 'makeOffer',
  'GET /offers': 'listOffers',
  'GET /offers/:id': 'showOffer',
  'DELETE /offers/:id': 'deactivateOffer',
  'POST /token/registrations': 'registerToken',
  'POST /tokens/revocations': 'revokeToken',
  'GET /credit_cards': 'listCards',
  'POST /credit_cards': 'storeCard',
  'POST /credit_cards/links': 'makeCardLink',
  'GET /credit_cards/:service_token': 'showCard',
  'DELETE /credit_cards/:service_token': 'removeCard',
  'GET /gateways': 'listGateways',
  'POST /gateways': 'connectGateway',
  'PATCH /gateways/:id': 'changeGateway',
  'GET /payment_page': 'showPaymentPage',
  'PATCH /payment_page': 'changePaymentPage',
  'GET /mail_settings': 'showMailSettings',
  'PATCH /mail_settings': 'changeMailSettings',
  'POST /customers/erasures': 'eraseCustomer',
  'GET /hook_endpoints': 'listHookEndpoints',
  'POST /hook_endpoints': 'addHookEndpoint',
  'GET /hook_endpoints/:id': 'showHookEndpoint',
  'PATCH /hook_endpoints/:id': 'changeHookEndpoint',
  'DELETE /hook_endpoints/:id': 'deleteHookEndpoint',
  'POST /hook_endpoints/:id/rotate_secret': 'rotateHookSecret',
  'POST /hook_endpoints/:id/test': 'testHookEndpoint',
  'GET /hook_deliveries': 'listHookDeliveries',
  'GET /hook_deliveries/:id': 'showHookDelivery',
  'POST /hook_deliveries/:id/resend': 'resendHook',
  'POST /hook_deliveries/resend': 'resendHooks',
  'GET /letters': 'listLetters',
  'GET /letters/:id': 'showLetter',
  'POST /sandbox/clock': 'advanceSandboxClock',
  'POST /sandbox/cards': 'storeTestCard',
}

export function operationIdOf(method: string, path: string): string {
  const id = operationIds[`${method} ${path}`]
  if (id === undefined) throw new Error(`${method} ${path} has no operation id`)
  return id
}
