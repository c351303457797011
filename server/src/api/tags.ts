// The groups of requests in the OpenAPI document, in the order in which somebody new would want to read them.

interface Tag {
  readonly name: string
  readonly 'x-displayName': string
  readonly description: string
}

const says = {
  transactions: 'Charge a card, look at what became of it, capture, void and refund.',
  offers: 'What you sell: make it, look at it, change it, and its links.',
  'credit cards': "Customers' stored cards, and links by which a customer stores one.",
  customers: 'Erase one who asks for it.',
  hooks: 'Your endpoints, and what was sent to them. Under Webhooks: what the service sends.',
  'payment page': 'How the pages look that your customers see.',
  gateways: 'Your accounts at those who move the money.',
  mail: 'Payments by mail: the settings, and the mails that came in.',
  tokens: 'Sealed sentences that stand for an offer in a mail: register those made offline, revoke any.',
  sandbox: 'Only in the sandbox: test cards, the clock, disputes.',
}

export const tags: Tag[] = Object.entries(says).map(([name, description]) => ({
  name,
  'x-displayName': `${name[0]?.toUpperCase()}${name.slice(1)}`,
  description,
}))
