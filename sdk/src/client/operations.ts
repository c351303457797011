// Every operation of the service's OpenAPI document, and the method that it is here. A test holds this table against the
// document of a running service, both ways; the types of the methods are written from the two together.

export interface Operation {
  /** Its name in the document. */
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With its one parameter, where it has one, in braces: that is the method's first argument. */
  readonly path: string
  /** Its arguments go into the body; those of a list into the query. */
  readonly takesArguments: boolean
  /** The member of the answer that is the thing asked for; null: the answer itself is. */
  readonly member: string | null
  /** What that is: one thing, several at once, or a list page by page. */
  readonly gives: 'one' | 'several' | 'pages'
  /** Whoever has what it asks about needs no credentials; and as it does nothing twice, no key. */
  readonly isOpen: boolean
}

const rest = '/api/v5/rest'
type Route = `${Operation['method']} /${string}`

function operation(id: string, route: Route, more: Partial<Operation>): Operation {
  const [method, path] = route.split(' ') as [Operation['method'], string]
  const usual: Omit<Operation, 'id' | 'method' | 'path'> = {
    takesArguments: false,
    member: null,
    gives: 'one',
    isOpen: false,
  }
  return { id, method, path: rest + path, ...usual, ...more }
}

/** Asks for one thing, by its name alone. */
const named = (id: string, route: Route, member: string) => operation(id, route, { member })
const withArguments = (id: string, route: Route, member: string) =>
  operation(id, route, { member, takesArguments: true })
const list = (id: string, path: `/${string}`) => operation(id, `GET ${path}`, { gives: 'pages', takesArguments: true })

export const operations = {
  transactions: {
    create: withArguments('createTransaction', 'POST /transactions', 'transaction'),
    list: list('listTransactions', '/transactions'),
    get: named('showTransaction', 'GET /transactions/{id}', 'transaction'),
    refund: withArguments('refundTransaction', 'POST /transactions/refunds', 'transaction'),
    capture: withArguments('captureTransaction', 'POST /transactions/{id}/capture', 'transaction'),
    void: named('voidTransaction', 'POST /transactions/{id}/void', 'transaction'),
  },
  offers: {
    create: withArguments('makeOffer', 'POST /offers', 'offer'),
    list: list('listOffers', '/offers'),
    get: named('showOffer', 'GET /offers/{id}', 'offer'),
    deactivate: named('deactivateOffer', 'DELETE /offers/{id}', 'offer'),
    createLink: withArguments('makeOfferLink', 'POST /offers/{id}/links', 'link'),
  },
  token: {
    register: operation('registerToken', 'POST /', {
      path: '/token/registrations',
      takesArguments: true,
      isOpen: true,
    }),
    revoke: withArguments('revokeToken', 'POST /tokens/revocations', 'token'),
    inspect: withArguments('inspectToken', 'POST /tokens/inspections', 'token'),
  },
  creditCards: {
    list: list('listCards', '/credit_cards'),
    store: withArguments('storeCard', 'POST /credit_cards', 'card'),
    get: named('showCard', 'GET /credit_cards/{service_token}', 'card'),
    remove: named('removeCard', 'DELETE /credit_cards/{service_token}', 'card'),
    createLink: withArguments('makeCardLink', 'POST /credit_cards/links', 'card_link'),
  },
  customers: {
    erase: withArguments('eraseCustomer', 'POST /customers/erasures', 'customer'),
  },
  gateways: {
    list: list('listGateways', '/gateways'),
    connect: withArguments('connectGateway', 'POST /gateways', 'gateway'),
    update: withArguments('changeGateway', 'PATCH /gateways/{id}', 'gateway'),
  },
  hookDeliveries: {
    list: list('listHookDeliveries', '/hook_deliveries'),
    get: named('showHookDelivery', 'GET /hook_deliveries/{id}', 'hook_delivery'),
    resend: named('resendHook', 'POST /hook_deliveries/{id}/resend', 'hook_delivery'),
    resendMany: operation('resendHooks', 'POST /hook_deliveries/resend', { takesArguments: true }),
  },
  hookEndpoints: {
    list: list('listHookEndpoints', '/hook_endpoints'),
    create: withArguments('addHookEndpoint', 'POST /hook_endpoints', 'hook_endpoint'),
    get: named('showHookEndpoint', 'GET /hook_endpoints/{id}', 'hook_endpoint'),
    update: withArguments('changeHookEndpoint', 'PATCH /hook_endpoints/{id}', 'hook_endpoint'),
    delete: named('deleteHookEndpoint', 'DELETE /hook_endpoints/{id}', 'hook_endpoint'),
    rotateSecret: named('rotateHookSecret', 'POST /hook_endpoints/{id}/rotate_secret', 'hook_endpoint'),
    test: named('testHookEndpoint', 'POST /hook_endpoints/{id}/test', 'hook_delivery'),
  },
  hookListeners: {
    start: withArguments('startHookListener', 'POST /hook_listeners', 'hook_listener'),
    takeRequests: operation('takeHookRequests', 'GET /hook_listeners/{id}/requests', {
      takesArguments: true,
      gives: 'several',
    }),
    answer: withArguments('answerHookRequest', 'POST /hook_listeners/{id}/answers', 'hook_request'),
    end: named('endHookListener', 'DELETE /hook_listeners/{id}', 'hook_listener'),
  },
  letters: {
    list: list('listLetters', '/letters'),
    get: named('showLetter', 'GET /letters/{id}', 'letter'),
  },
  paymentPage: {
    get: named('showPaymentPage', 'GET /payment_page', 'payment_page'),
    update: withArguments('changePaymentPage', 'PATCH /payment_page', 'payment_page'),
  },
  mailSettings: {
    get: named('showMailSettings', 'GET /mail_settings', 'mail_settings'),
    update: withArguments('changeMailSettings', 'PATCH /mail_settings', 'mail_settings'),
  },
  sandbox: {
    advanceClock: withArguments('advanceSandboxClock', 'POST /sandbox/clock', 'clock'),
    storeCard: withArguments('storeTestCard', 'POST /sandbox/cards', 'card'),
    dispute: withArguments('disputeTransaction', 'POST /sandbox/disputes', 'transaction'),
  },
} satisfies { readonly [resource: string]: { readonly [method: string]: Operation } }
