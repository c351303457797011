// What mails to customers say, in English.

import { bdi, html } from '../html.ts'
import { said } from './said.ts'

export const enMail = {
  to: 'To',
  number: 'Payment ID',
  ignore: 'If this was not you, ignore this email. Nothing is charged.',
  nothingYet: 'Nothing has been charged.',

  /** To an address that somebody typed: it says the same whether or not it is known. */
  proof: {
    subject: (merchant: string) => `Your link to pay ${merchant}`,
    heading: 'Continue your payment',
    asks: (merchant: string, title: string) =>
      html`Someone, probably you, is about to make a payment to ${bdi(merchant)} for “${bdi(title)}”, and asked to use a card saved under this email address.`,
    how: 'To continue, open this link in the browser you are paying in, and press the button there.',
    button: 'Continue',
    until: 'The link works once, within an hour. If no card is saved, you can enter one.',
    notYou: 'If this was not you, ignore this email. Nothing is charged, and nobody sees anything of yours.',
  },

  receipt: {
    subject: (merchant: string, amount: string) => `Your receipt: ${amount} to ${merchant}`,
    paid: (merchant: string) => said('Payment complete', html`Thank you. ${bdi(merchant)} has received your payment.`),
    keep: 'Keep this email: it is your receipt.',
    notYou: (merchant: string) => html`If you did not make this payment, please tell ${bdi(merchant)} at once.`,
  },

  /** The same for everybody who has something left to do: it does not tell whether the address is known. */
  furtherAction: {
    subject: (merchant: string) => `Your payment to ${merchant}: one more step`,
    asks: (merchant: string) =>
      said(
        'One more step',
        html`An email from your address asked to pay ${bdi(merchant)}. To continue, press the button: you can check everything there before you pay.`,
      ),
    button: 'Continue',
    until: 'The link works once, within 7 days.',
  },

  limit: {
    subject: (merchant: string) => `Please confirm your payment to ${merchant}`,
    asks: (merchant: string) =>
      said(
        'Please confirm your payment',
        html`You asked by email to pay ${bdi(merchant)}. This is over the limit for payments by email, so we ask you once more.`,
        'To confirm, press the button and send the email that opens, within an hour.',
      ),
    button: 'Confirm by email',
    orPage: 'Or pay on our page instead. The link works once, within 7 days:',
  },

  bank: {
    subject: (merchant: string) => `Your bank asks about your payment to ${merchant}`,
    asks: (merchant: string) =>
      said(
        'Confirm your payment',
        html`You asked by email to pay ${bdi(merchant)}, and your bank asks you to confirm it.`,
      ),
    button: 'Confirm this payment',
    until: 'Please do so within 30 minutes.',
  },

  error: {
    subject: (merchant: string) => `Your payment to ${merchant} was not made`,
    asked: (merchant: string) => said('Your payment was not made', html`You asked by email to pay ${bdi(merchant)}.`),
    button: 'Pay on our page',
  },
}
