// Every command: what the overview says of it, and where it is. A command is loaded when it is asked for: most need no
// more than the database, and to load the whole service takes longer than their work.

import type { Command } from './command.ts'

/** In the order of the overview: who is new here comes to try it, and finds how first. */
export const groups = {
  develop: 'Develop against it',
  run: 'Run it',
  merchants: 'Merchants and keys',
  hooks: 'Hooks',
  mail: 'Mail',
  money: 'Money',
} as const

export interface ListedCommand {
  readonly name: string
  readonly group: keyof typeof groups
  readonly summary: string
  readonly load: () => Promise<Command>
}

export const commands: readonly ListedCommand[] = [
  {
    name: 'listen',
    group: 'develop',
    summary:
      "Forward a merchant's hooks to an app on this machine, Pre-Sale's answers included. Nothing has to be exposed.",
    load: async () => (await import('./listen.ts')).listen,
  },
  {
    name: 'trigger',
    group: 'develop',
    summary:
      'Make the real thing happen in the sandbox: a charge, a decline, 3-D Secure, a refund, a dispute; its hooks are sent.',
    load: async () => (await import('./trigger.ts')).trigger,
  },
  {
    name: 'verify',
    group: 'develop',
    summary: 'Say whether a hook is authentic, and if not, why: which mistake explains it. Works offline.',
    load: async () => (await import('./verify.ts')).verify,
  },
  {
    name: 'clock advance',
    group: 'develop',
    summary: 'Move the sandbox clock forward (90s, 5m, 28.45h, 7d), through everything that falls due on the way.',
    load: async () => (await import('./clock.ts')).clockAdvance,
  },
  {
    name: 'sandbox-gateway',
    group: 'develop',
    summary:
      'Run the sandbox gateway as a server over HTTP, with its books in memory. Connect it with credentials {"url": "…"}.',
    load: async () => (await import('./sandbox-gateway.ts')).sandboxGateway,
  },
  {
    name: 'serve',
    group: 'run',
    summary: 'Run the service. In the sandbox, the first start makes a demo merchant and prints how to use it.',
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    name: 'migrate',
    group: 'run',
    summary: 'Bring the database to the version of this program. Every start does it too.',
    load: async () => (await import('./migrate.ts')).migrateDatabase,
  },
  {
    name: 'backup',
    group: 'run',
    summary: 'Write all of the database to a file, as it is at one moment, while the service runs.',
    load: async () => (await import('./backup.ts')).backup,
  },
  {
    name: 'restore',
    group: 'run',
    summary: 'Make an empty database what a backup says. Nothing is written unless all of it is as it was.',
    load: async () => (await import('./restore.ts')).restore,
  },
  {
    name: 'reopen',
    group: 'run',
    summary: 'Let clients in again after a restore, when each gateway was reconciled.',
    load: async () => (await import('./reopen.ts')).reopen,
  },
  {
    name: 'secret-key status',
    group: 'run',
    summary: 'Show which secret key seals, what each one still opens, and with which keys every process runs.',
    load: async () => (await import('./secret-key.ts')).secretKeyStatus,
  },
  {
    name: 'secret-key reseal',
    group: 'run',
    summary:
      'Seal every secret in the database again, with the first key of TILLBELL_SECRET_KEY, while the service runs.',
    load: async () => (await import('./secret-key.ts')).secretKeyReseal,
  },
  {
    name: 'version',
    group: 'run',
    summary:
      'Show the versions of this program, of Node, and of the PostgreSQL that comes with it. Also --version, -v.',
    load: async () => (await import('./version.ts')).version,
  },
  {
    name: 'merchant create',
    group: 'merchants',
    summary: 'Create a merchant with its keys. The API secret and the password are shown now and never again.',
    load: async () => (await import('./merchant.ts')).merchantCreate,
  },
  {
    name: 'merchant list',
    group: 'merchants',
    summary: 'List the merchants.',
    load: async () => (await import('./merchant.ts')).merchantList,
  },
  {
    name: 'key create',
    group: 'merchants',
    summary: 'Create another API key for a merchant. The secret is shown now and never again.',
    load: async () => (await import('./key.ts')).keyCreate,
  },
  {
    name: 'key revoke',
    group: 'merchants',
    summary: 'Revoke an API key. It takes effect at once.',
    load: async () => (await import('./key.ts')).keyRevoke,
  },
  {
    name: 'login invite',
    group: 'merchants',
    summary: 'Print a link with which somebody becomes one of a merchant’s people. It works once, within seven days.',
    load: async () => (await import('./login.ts')).loginInvite,
  },
  {
    name: 'login reset',
    group: 'merchants',
    summary: 'Print a link with which somebody sets a new password for the dashboard. It works once, within an hour.',
    load: async () => (await import('./login.ts')).loginReset,
  },
  {
    name: 'private-key list',
    group: 'merchants',
    summary: "List a merchant's key pairs, and which one signs hooks.",
    load: async () => (await import('./private-key.ts')).privateKeyList,
  },
  {
    name: 'private-key create',
    group: 'merchants',
    summary: 'Create the next Private Key of a merchant. It signs nothing until it is made current.',
    load: async () => (await import('./private-key.ts')).privateKeyCreate,
  },
  {
    name: 'private-key make-current',
    group: 'merchants',
    summary: 'Sign hooks with this key from now on. The key before it is kept, and can be made current again.',
    load: async () => (await import('./private-key.ts')).privateKeyMakeCurrent,
  },
  {
    name: 'private-key delete',
    group: 'merchants',
    summary: 'Delete a key that is not current. Its private half is destroyed; it cannot be undone.',
    load: async () => (await import('./private-key.ts')).privateKeyDelete,
  },
  {
    name: 'customer erase',
    group: 'merchants',
    summary: 'Erase a customer: personal fields go, amounts stay. It cannot be undone.',
    load: async () => (await import('./customer.ts')).customerErase,
  },
  {
    name: 'hooks list',
    group: 'hooks',
    summary: 'List what was sent to a merchant, or is about to be, newest first.',
    load: async () => (await import('./hooks.ts')).hooksList,
  },
  {
    name: 'hooks show',
    group: 'hooks',
    summary: 'Show one delivery: what was sent, and its newest attempts.',
    load: async () => (await import('./hooks.ts')).hooksShow,
  },
  {
    name: 'hooks resend',
    group: 'hooks',
    summary: 'Send a notification again: one attempt outside the schedule, made by a worker of the running service.',
    load: async () => (await import('./hooks.ts')).hooksResend,
  },
  {
    name: 'token create',
    group: 'mail',
    summary: 'Make a token that pays by mail. With the keys at hand it works offline, without a database.',
    load: async () => (await import('./token.ts')).tokenCreate,
  },
  {
    name: 'token revoke',
    group: 'mail',
    summary: 'Revoke a token for good, and end the offer that was made from it.',
    load: async () => (await import('./token.ts')).tokenRevoke,
  },
  {
    name: 'token inspect',
    group: 'mail',
    summary: 'Show what a token says, or why it does not open.',
    load: async () => (await import('./token.ts')).tokenInspect,
  },
  {
    name: 'mail ingest',
    group: 'mail',
    summary:
      'Take a mail in from a file, or from standard input (-), as if it had come by SMTP, and say why it is believed.',
    load: async () => (await import('./mail-in.ts')).mailIngest,
  },
  {
    name: 'mail list',
    group: 'mail',
    summary: 'List the mails that asked to pay a merchant, newest first.',
    load: async () => (await import('./mail.ts')).mailList,
  },
  {
    name: 'mail show',
    group: 'mail',
    summary:
      'Show a mail that asked to pay: why its sender was believed or not, what came of it, and what they were told.',
    load: async () => (await import('./mail.ts')).mailShow,
  },
  {
    name: 'mail send',
    group: 'mail',
    summary:
      'Pay by mail in the sandbox, as a customer at example.com would: one mail, signed, by SMTP to the running service.',
    load: async () => (await import('./mail-send.ts')).mailSend,
  },
  {
    name: 'doubt list',
    group: 'money',
    summary: 'List what is in doubt at a gateway, and what only a person can settle, oldest first.',
    load: async () => (await import('./doubt.ts')).doubtList,
  },
  {
    name: 'doubt show',
    group: 'money',
    summary:
      "Show one operation: what was asked about it, what was heard, and what people decided. Of a transaction's id, all its operations.",
    load: async () => (await import('./doubt.ts')).doubtShow,
  },
  {
    name: 'doubt resolve',
    group: 'money',
    summary:
      'Settle an operation that no proof settled, on record. Look at the gateway first: where it does not answer us, what you say is taken for true.',
    load: async () => (await import('./doubt.ts')).doubtResolve,
  },
  {
    name: 'audit',
    group: 'money',
    summary:
      'Prove from the database that every change has exactly the notifications it owes. Ends with 1 when something does not fit.',
    load: async () => (await import('./audit.ts')).auditBooks,
  },
  {
    name: 'reconcile',
    group: 'money',
    summary:
      "Compare a gateway's own list with our records, and show both sides of every difference. Ends with 1 when there is one.",
    load: async () => (await import('./reconcile.ts')).reconcileGateway,
  },
]
