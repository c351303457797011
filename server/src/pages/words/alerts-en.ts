// What alerts to a merchant's own people say, in English.

import { bdi, html } from '../html.ts'

export const enAlerts = {
  moreThan: (count: string) => `more than ${count}`,
  kind: 'Kind',
  address: 'Address',
  id: 'ID',
  hooks: {
    transaction: 'Transaction',
    far: 'Further Action Required',
    error: 'Error',
    update: 'Update',
    pre_sale: 'Pre-Sale',
    generic: 'Every kind',
  },
  operations: { charge: 'Charge', capture: 'Capture', void: 'Void', refund: 'Refund' },
  onlyPerson: 'only you can settle it',
  test: 'test',
  why: 'You get this email because this alert is on for your login. You can turn it off under Alerts in the dashboard.',

  paused: {
    subject: (host: string) => `Hooks to ${host} are paused`,
    heading: 'A hook endpoint is paused',
    failing: (merchant: string, since: string) =>
      html`An endpoint of ${bdi(merchant)} has accepted nothing since ${since}, so Tillbell has paused it.`,
    waiting: (count: number, shown: string) => {
      if (count === 0) return 'No notification waits for it. New ones will.'
      return count === 1
        ? '1 notification waits for it. New ones will wait too.'
        : `${shown} notifications wait for it. New ones will wait too.`
    },
    how: 'When it answers again with a status from 200 to 299, resume it. Whatever waits then goes out.',
    button: 'Open the endpoints',
  },

  dropped: {
    subject: (merchant: string, count: number, shown: string) =>
      `${shown} ${count === 1 ? 'notification' : 'notifications'} to ${merchant} dropped`,
    heading: 'Notifications were dropped',
    what: (merchant: string, count: number, shown: string) =>
      count === 1
        ? html`1 notification to an endpoint of ${bdi(merchant)} was not accepted in ten attempts, and is not sent again by itself.`
        : html`${shown} notifications to endpoints of ${bdi(merchant)} were not accepted in ten attempts, and are not sent again by themselves.`,
    how: 'See why, mend the endpoint, then resend them.',
    button: 'See what was dropped',
  },

  doubt: {
    subject: (merchant: string, count: number, shown: string) =>
      `${shown} ${count === 1 ? 'operation' : 'operations'} of ${merchant} in doubt`,
    heading: 'It is not known whether money moved',
    what: (merchant: string, count: number, shown: string) =>
      count === 1
        ? html`The payment gateway of ${bdi(merchant)} did not say what became of 1 operation.`
        : html`The payment gateway of ${bdi(merchant)} did not say what became of ${shown} operations.`,
    how: 'Tillbell goes on asking the gateway for three days and guesses nothing. What the gateway cannot prove, an owner settles in the dashboard, after a look at the gateway.',
    button: 'See what is in doubt',
  },
}
