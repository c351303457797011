// The REST client: `new Tillbell({ apiKey, apiSecret, baseUrl })`, with the operations of the service by what they are about.

import { createToken } from '../token.ts'
import type {
  CreditCardsMethods,
  CustomersMethods,
  GatewaysMethods,
  HookDeliveriesMethods,
  HookEndpointsMethods,
  HookListenersMethods,
  LettersMethods,
  MailSettingsMethods,
  OffersMethods,
  PaymentPageMethods,
  Resources,
  SandboxMethods,
  TokenMethods,
  TransactionsMethods,
} from './api-types.ts'
import { methodsOf } from './methods.ts'
import { checkedSettings, type TillbellOptions } from './settings.ts'

/** It holds nothing but its methods: the secret is not on it, and so in no log of it. */
export class Tillbell implements Resources {
  readonly transactions: TransactionsMethods
  readonly offers: OffersMethods
  readonly token: TokenMethods & {
    /** Makes a token offline: nothing is asked of the service. */
    create: typeof createToken
  }
  readonly creditCards: CreditCardsMethods
  readonly customers: CustomersMethods
  readonly gateways: GatewaysMethods
  readonly hookEndpoints: HookEndpointsMethods
  readonly hookDeliveries: HookDeliveriesMethods
  readonly hookListeners: HookListenersMethods
  readonly letters: LettersMethods
  readonly paymentPage: PaymentPageMethods
  readonly mailSettings: MailSettingsMethods
  readonly sandbox: SandboxMethods

  constructor(options: TillbellOptions) {
    const methods = methodsOf(checkedSettings(options))
    this.transactions = methods.transactions
    this.offers = methods.offers
    this.token = { ...methods.token, create: createToken }
    this.creditCards = methods.creditCards
    this.customers = methods.customers
    this.gateways = methods.gateways
    this.hookEndpoints = methods.hookEndpoints
    this.hookDeliveries = methods.hookDeliveries
    this.hookListeners = methods.hookListeners
    this.letters = methods.letters
    this.paymentPage = methods.paymentPage
    this.mailSettings = methods.mailSettings
    this.sandbox = methods.sandbox
  }
}
