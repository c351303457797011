// A card's name in Stripe's vault: the customer it is attached to, and the payment method. `cus_…/pm_…`.

export interface CardRef {
  readonly customer: string
  readonly method: string
}

export const methodPattern = /^pm_[A-Za-z0-9_]{1,100}$/
const cardRefPattern = /^(cus_[A-Za-z0-9]{1,100})\/(pm_[A-Za-z0-9_]{1,100})$/

export function parseCardRef(text: string): CardRef | null {
  const [, customer, method] = cardRefPattern.exec(text) ?? []
  return customer === undefined || method === undefined ? null : { customer, method }
}

export function cardRefOf({ customer, method }: CardRef): string {
  return `${customer}/${method}`
}
