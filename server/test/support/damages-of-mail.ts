// Every way in which payments by mail can be wrong. They are all of the demo merchant, which has made no others.

import type { Damage } from './damages-of-money.ts'

const byMail = (which: string) =>
  `id = (select id from transaction where source = 'Email Transaction' and ${which} order by id limit 1)`
const paidByToken = byMail("status = 'Successful' and token_sha256 is not null")
const paidOnPage =
  "id = (select id from transaction where source = 'Web Transaction' and token_sha256 is not null limit 1)"
const wanting = byMail('action_wants is not null')
const of = (transaction: string) => `transaction_${transaction}`
const change = (transaction: string, set: string) => `update transaction set ${set} where ${transaction}`
const addUse = (
  transaction: string,
) => `insert into token_use (merchant_id, box_sha256, is_personal, used_by, transaction_id)
  select t.merchant_id, k.box_sha256, false, 'somebody', t.id from (select * from transaction where ${transaction}) t
    join token k on k.merchant_id = t.merchant_id and not k.is_personal limit 1`

export const damagesOfMail: readonly Damage[] = [
  {
    what: 'a payment by mail that no letter came to',
    statements: [
      'alter table outgoing_mail drop constraint outgoing_mail_merchant_id_letter_id_fkey',
      `delete from letter where ${of(paidByToken)}`,
    ],
    found: [/^transaction \S+ was made by mail, and no letter says so\.$/],
  },
  {
    what: 'a payment for another offer than its letter asked for',
    statements: [
      `update letter set offer_id = (select id from offer where id <> letter.offer_id and merchant_id = letter.merchant_id limit 1)
        where ${of(paidByToken)}`,
    ],
    found: [/^transaction \S+ came of a letter that asked for another offer\.$/],
  },
  {
    what: 'a letter that came to a payment on the web',
    statements: [change(paidByToken, "source = 'Web Transaction'")],
    found: [/^transaction \S+ was not made by mail, and a letter says that it came of it\.$/],
  },
  {
    what: 'a payment that nobody proved or confirmed to have asked for',
    statements: [`update letter set is_proven = false where ${of(paidByToken)}`],
    found: [/^transaction \S+ was charged, and nobody proved or confirmed to have asked for it\.$/],
  },
  {
    what: 'a payment that was charged at once, and its mail did not say that its sender wants to pay',
    statements: [`update letter set has_consent = false where ${of(paidByToken)}`],
    found: [/^transaction \S+ was charged at once, and its mail did not say that its sender wants to pay\.$/],
  },
  {
    what: 'one that wants proof has used a token',
    statements: [addUse(wanting)],
    found: [/^transaction \S+ still wants a proof, and has used a token\.$/],
  },
  {
    what: 'one that wants proof was charged',
    statements: [
      `insert into operation (merchant_id, id, transaction_id, kind, gateway_id, amount_minor, currency, created_at, outcome,
          decline_code, sendings, asks, settled_at, lease_no, lease_until)
        select merchant_id, gen_random_uuid(), id, 'charge', gateway_id, amount_minor, currency, now(), 'declined',
          'card_declined', 1, 0, now(), 1, now() from transaction where ${wanting}`,
    ],
    found: [
      /^transaction \S+ still wants a proof, and the gateway was called\.$/,
      /^transaction \S+ was charged, and nobody proved or confirmed to have asked for it\.$/,
    ],
  },
  {
    what: 'one that wants proof has outlived its time',
    statements: [change(wanting, "action_expires_at = now() - interval '2 hours'")],
    found: [/^transaction \S+ wants a proof, and its time was over long ago\.$/],
  },
  {
    what: 'a token that paid is not marked as used',
    statements: [`delete from token_use where ${of(paidByToken)}`],
    found: [/^transaction \S+ is Successful, and its token is not marked as used by it\.$/],
  },
  {
    what: 'a payment on a page does not use the token of its offer for one customer',
    statements: [`delete from token_use where ${of(paidOnPage)}`],
    found: [/^transaction \S+ is Successful, and its token is not marked as used by it\.$/],
  },
  {
    what: 'a payment on a page uses a token that it does not name',
    statements: [addUse(paidOnPage)],
    found: [/^transaction \S+ is Successful, and uses a token that it does not name\.$/],
  },
  {
    what: 'a payment over REST uses a token',
    statements: [
      addUse(
        "id = (select id from transaction where source = 'Web Transaction' and entered is null and status = 'Successful' limit 1)",
      ),
    ],
    found: [/^transaction \S+ is Successful, and uses a token that it does not name\.$/],
  },
  {
    what: 'a token for one customer has paid twice',
    statements: [
      `update transaction set token_sha256 = (select token_sha256 from transaction where ${paidByToken}),
          offer_id = (select offer_id from transaction where ${paidByToken})
        where id = (select max(id::text)::uuid from transaction
          where source = 'Email Transaction' and status = 'Successful' and token_sha256 is not null)`,
    ],
    found: [
      /^token [0-9a-f]{64} has paid 2 times: transactions \S+, \S+\.$/,
      /^transaction \S+ came of a letter that asked for another offer\.$/,
      /^transaction \S+ is Successful, and its token is not marked as used by it\.$/,
    ],
  },
  {
    what: 'a payment that failed still uses its token',
    statements: [addUse(byMail("status = 'Failed'"))],
    found: [/^transaction \S+ is Failed, and still uses a token\.$/],
  },
  ...(['receipt', 'further_action', 'error'] as const).map(kind => ({
    what: `no ${kind} to a customer`,
    statements: [
      `delete from outgoing_mail where id = (select id from outgoing_mail where kind = '${kind}' order by id limit 1)`,
    ],
    found: [new RegExp(`^transaction \\S+ owes its customer 1 ${kind} mails, and has 0\\.$`)],
  })),
  {
    what: 'a receipt twice',
    statements: [
      `insert into outgoing_mail (merchant_id, id, letter_id, transaction_id, kind, created_at, state, settled_at)
        select merchant_id, gen_random_uuid(), letter_id, transaction_id, kind, created_at, 'sent', created_at
        from outgoing_mail where kind = 'receipt' limit 1`,
    ],
    found: [/^transaction \S+ owes its customer 1 receipt mails, and has 2\.$/],
  },
  {
    what: 'a mail to a customer who is not to be answered',
    statements: [`update letter set is_answerable = false where ${of(wanting)}`],
    found: [/^transaction \S+ owes its customer 0 further_action mails, and has 1\.$/],
  },
]

const noReceipts = "delete from outgoing_mail where kind = 'receipt'"

/** What was forgotten, or cannot be told. */
export const harmlessToMail: readonly Omit<Damage, 'found'>[] = [
  {
    what: 'letters that were forgotten in their time',
    statements: [
      "update transaction set created_at = created_at - interval '81 days' where source = 'Email Transaction'",
      'delete from letter',
    ],
  },
  {
    what: 'a merchant who may have turned mails off',
    statements: [
      `insert into mail_settings (merchant_id, receipts, further_actions, errors)
        select merchant_id, true, true, true from letter limit 1`,
      noReceipts,
    ],
  },
  {
    what: 'a customer who was erased',
    statements: ['update letter set sender = null, verdict = null, is_answerable = false', noReceipts],
  },
]

export const unrestOfMail: readonly (Omit<Damage, 'found'> & { readonly noted: RegExp })[] = [
  {
    what: 'a letter that has waited for long',
    statements: [
      `insert into letter (merchant_id, id, received_at, offer_id, is_proven, is_answerable, language, state)
        select merchant_id, gen_random_uuid(), now() - interval '1 day', offer_id, true, true, 'en', 'waiting' from letter limit 1`,
    ],
    noted: /^letter \S+ has waited for more than an hour to be paid\.$/,
  },
  {
    what: 'a letter held by a worker that is gone',
    statements: [
      `insert into letter (merchant_id, id, received_at, offer_id, is_proven, is_answerable, language, state, holder)
        select merchant_id, gen_random_uuid(), now() + interval '29 hours', offer_id, true, true, 'en', 'waiting',
          gen_random_uuid() from letter limit 1`,
    ],
    noted: /^letter \S+ is held by a worker that is gone, and about to be freed\.$/,
  },
]
