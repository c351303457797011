// What mails to customers say, in English.

import { bdi, html } from '../html.ts'
import { said } from './said.ts'

export const enMail = {
  to: 'To',
  number: 'Payment ID',
  ignore: 'If this was not you, ignore this email. Nothing is charged.',
  nothingYet: 'Nothing has been charged.',
  payOnPage: 'Pay on our page',

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

  /** To the address that was typed with a card that was saved. */
  savedCard: {
    subject: (merchant: string) => `Confirm your email address for ${merchant}`,
    heading: 'Confirm your email address',
    asks: (merchant: string, title: string) =>
      html`Someone, probably you, has paid ${bdi(merchant)} for “${bdi(title)}”, and saved a card under this email address.`,
    how: 'To pay with that card again, open this link in the browser you paid in, and press the button there.',
    button: 'Confirm',
    until: 'The link works once, within an hour. It charges nothing.',
    notYou: 'If this was not you, ignore this email. Nothing is charged, and nobody sees anything of yours.',
  },

  receipt: {
    subject: (merchant: string, amount: string) => `Your receipt: ${amount} to ${merchant}`,
    paid: (merchant: string) => said('Payment complete', html`Thank you. ${bdi(merchant)} has received your payment.`),
    keep: 'Keep this email: it is your receipt.',
    reservedSubject: (merchant: string, amount: string) => `Reserved: ${amount} for ${merchant}`,
    keepReserved: 'Keep this email: it is your confirmation.',
    notYou: (merchant: string) => html`If you did not make this payment, please tell ${bdi(merchant)} at once.`,
  },

  furtherAction: {
    subject: (merchant: string) => `Your payment to ${merchant}: one more step`,
    heading: 'One more step',
    /** To whoever did not prove to have written: it does not tell whether the address is known. */
    someoneAsked: (merchant: string) => html`An email from your address asked to pay ${bdi(merchant)}.`,
    noCard: (merchant: string) =>
      html`You asked by email to pay ${bdi(merchant)}. No card is saved there for your address that can be charged by email.`,
    somethingAsked: (merchant: string) =>
      html`You asked by email to pay ${bdi(merchant)}, who needs something more from you, such as an address.`,
    how: 'To continue, open the link below: you can check everything there before you pay.',
    button: 'Continue',
    until: 'The link works once, within 7 days.',
  },

  confirm: {
    subject: (merchant: string) => `Please confirm your payment to ${merchant}`,
    asks: (merchant: string) =>
      said(
        'Do you want to pay?',
        html`An email from your address asked to pay ${bdi(merchant)}.`,
        'To pay, open the link below and press the button there.',
      ),
    button: 'Review the payment',
    doNothing: 'If you did not want to pay, do nothing.',
  },

  limit: {
    subject: (merchant: string) => `Please confirm your payment to ${merchant}`,
    asks: (merchant: string) =>
      said(
        'Please confirm your payment',
        html`You asked by email to pay ${bdi(merchant)}. This is over the limit for payments by email, so we ask you once more.`,
        'To confirm, open the link below and send the email that it opens, within an hour.',
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
    until: 'Please confirm it within 30 minutes.',
  },

  error: {
    subject: (merchant: string) => `Your payment to ${merchant} was not made`,
    asked: (merchant: string) => said('Your payment was not made', html`You asked by email to pay ${bdi(merchant)}.`),
  },
}
