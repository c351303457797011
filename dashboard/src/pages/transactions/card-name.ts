import type { CardType } from '../../../../server/src/console/contract/records.ts'

const brands: { readonly [type in CardType]: string } = {
  visa: 'Visa',
  master: 'Mastercard',
  american_express: 'American Express',
  discover: 'Discover',
  other: 'Card',
}

/** `Visa •••• 1111` */
export function cardName({ type, mask }: { readonly type: CardType; readonly mask: string }): string {
  return `${brands[type]} •••• ${mask}`
}
