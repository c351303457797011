// Every way in which the money of a merchant, or what Pre-Sale said of it, can be wrong.

import {
  addOperation,
  captured,
  change,
  declined,
  endpointOf,
  inDoubt,
  lent,
  refunded,
  sold,
  stoppedAlone,
  triedAtOnce,
} from './damage-sql.ts'

export interface Damage {
  readonly what: string
  readonly statements: readonly string[]
  /** Each finding is one of these, and each of these is found. */
  readonly found: readonly RegExp[]
}

const names: readonly Damage[] = [
  ...(
    [
      ['offer', 'offer_id = gen_random_uuid()'],
      ['customer', 'customer_id = gen_random_uuid()'],
      ['card', "card_token = 'nobody'"],
    ] as const
  ).map(([what, damage]) => ({
    what: `it names ${what === 'offer' ? 'an' : 'a'} ${what} that is not there`,
    statements: [change('transaction', sold, damage)],
    found: [new RegExp(`^transaction \\S+ names an? ${what} that is not there\\.$`)],
  })),
  {
    what: 'an operation names a gateway that is not there',
    statements: [
      `update operation set gateway_id = 'gw_nobody' where merchant_id = MERCHANT and transaction_id = ${sold}`,
      change('transaction', sold, "gateway_id = 'gw_nobody'"),
    ],
    found: [/^transaction \S+ names a gateway that is not there\.$/],
  },
]

const money: readonly Damage[] = [
  {
    what: 'more captured than was charged',
    statements: [change('transaction', sold, 'captured_minor = captured_minor - 1')],
    found: [/^transaction \S+ has \$99\.99 captured, and its operations come to \$100\.00\.$/],
  },
  {
    what: 'a refund that the transaction does not know',
    statements: [change('transaction', refunded, 'refunded_minor = refunded_minor - 100')],
    found: [/^transaction \S+ has \$49\.00 refunded, and its operations come to \$50\.00\.$/],
  },
  {
    what: 'money reserved for no refund',
    statements: [change('transaction', sold, 'refund_reserved_minor = 1')],
    found: [/^transaction \S+ has \$0\.01 reserved for refunds, and its operations come to \$0\.00\.$/],
  },
  {
    what: 'charged twice',
    statements: ['drop index operation_one_charge', addOperation(captured, 'charge', 'succeeded')],
    found: [/^transaction \S+ is Successful, and has 2 charges that succeeded\.$/],
  },
  {
    what: 'sent, and what became of it never written down',
    statements: [
      `update operation set outcome = 'pending', for_person = null, next_ask_at = now(), overdue_at = now()
        where merchant_id = MERCHANT and transaction_id = ${inDoubt}`,
    ],
    found: [
      /^transaction \S+ has the charge \S+ still pending after its lease ended: what became of it is in doubt\.$/,
    ],
  },
  {
    what: 'charged at another gateway than it says',
    statements: [
      `insert into gateway (merchant_id, id, type, credentials_sealed, is_default, status, created_at)
        select merchant_id, 'gw_other', type, credentials_sealed, false, status, created_at from gateway
        where merchant_id = MERCHANT limit 1`,
      change('transaction', sold, "gateway_id = 'gw_other'"),
    ],
    found: [/^transaction \S+ is at gateway gw_other, and its charge \S+ is at gw_\S{22}\.$/],
  },
  {
    what: 'charged, and Failed',
    statements: [
      `update operation set outcome = 'succeeded', decline_code = null, gateway_ref = 'ref'
        where merchant_id = MERCHANT and transaction_id = ${declined}`,
    ],
    found: [
      /^transaction \S+ is Failed, and has 1 charges that succeeded\.$/,
      /^transaction \S+ has \$0\.00 captured, and its operations come to \$100\.00\.$/,
    ],
  },
  {
    what: 'voided, and sold',
    statements: [addOperation(sold, 'void', 'succeeded')],
    found: [/^transaction \S+ is Successful, and a void of it succeeded\.$/],
  },
  {
    what: 'Processing in nobody’s hand',
    statements: [
      `update operation set outcome = 'not_sent', settled_at = now()
        where merchant_id = MERCHANT and transaction_id = ${inDoubt}`,
    ],
    found: [/^transaction \S+ is Processing, and neither a process nor an operation has it\.$/],
  },
  {
    what: 'in doubt, and nobody asks',
    statements: [`update operation set for_person = null where merchant_id = MERCHANT and transaction_id = ${inDoubt}`],
    found: [/^transaction \S+ has the open charge \S+, which nobody asks about\.$/],
  },
]

const preSale: readonly Damage[] = [
  {
    what: 'a verdict that does not follow from the answers',
    statements: [
      `update pre_sale_request set status = 503 where merchant_id = MERCHANT and transaction_id = ${stoppedAlone}`,
    ],
    found: [/^transaction \S+ says of Pre-Sale "stopped", and its answers say "error"\.$/],
  },
  {
    what: 'a consent that was not told of the end',
    statements: [
      `insert into pre_sale_request (merchant_id, id, transaction_id, endpoint_id, url, recorded_at, status)
        values (MERCHANT, gen_random_uuid(), ${stoppedAlone}, ${endpointOf('generic')}, '', now(), 200)`,
    ],
    found: [/^transaction \S+ became Failed with version 2, which owes error, and has no notification\.$/],
  },
  {
    what: 'a charge that Pre-Sale had stopped',
    statements: [addOperation(stoppedAlone, 'charge', 'not_sent')],
    found: [/^transaction \S+ was not let through by Pre-Sale, and the gateway was called\.$/],
  },
]

const decide = (transaction: string, verdict: string) =>
  `insert into resolution (merchant_id, operation_id, at, verdict, by, note)
    select merchant_id, id, now(), '${verdict}', 'Eve', 'So be it.' from operation
    where merchant_id = MERCHANT and transaction_id = ${transaction} and kind = 'charge'`

const decisions: readonly Damage[] = [
  {
    what: 'a success after a failure that nobody accepted',
    statements: [
      `update transaction_change set from_status = 'Failed' where merchant_id = MERCHANT and transaction_id = ${sold}`,
    ],
    found: [
      /^transaction \S+ became Successful with version 2 after it had failed, and nobody accepted that\.$/,
      /^transaction \S+ was Processing, and the change to version 2 says it was Failed before\.$/,
    ],
  },
  {
    what: 'settled by a person as not made, and made',
    statements: [decide(sold, 'not_made')],
    found: [/^transaction \S+ has the charge \S+, which a person settled as not_made, and it is succeeded\.$/],
  },
  {
    what: 'settled by a person as made, and in doubt',
    statements: [decide(inDoubt, 'succeeded')],
    found: [/^transaction \S+ has the charge \S+, which a person settled as succeeded, and it is unknown\.$/],
  },
]

const page: readonly Damage[] = [
  {
    what: 'a checkout that has paid twice',
    statements: triedAtOnce(declined, sold, captured),
    found: [/^checkout c0ffee has paid 2 times: transactions \S+, \S+\.$/],
  },
  {
    what: 'a checkout that has paid while its first payment is in doubt',
    statements: triedAtOnce(inDoubt, sold),
    found: [/^checkout c0ffee has paid 2 times: transactions \S+, \S+\.$/],
  },
  {
    what: 'a card that was given for one payment and stays',
    statements: [lent(declined, 5)],
    found: [/^card \S+ was given for one payment only, and after 5 days may still be at its gateway\.$/],
  },
]

export const damagesOfMoney = [...names, ...money, ...preSale, ...decisions, ...page]
