// What pages and mails say, in English. Sentences that hold a name or an amount are functions of it. `words.ts` takes the
// shape of every other language from here.

import { bdi, html } from '../html.ts'
import { said } from './said.ts'

export const en = {
  language: 'en',
  /** For amounts, times and the names of countries. */
  locale: 'en-US',

  frame: {
    sandbox: 'This is a sandbox: no money moves.',
    questions: 'Questions? Write to',
  },

  notices: {
    ourFault: said('That did not work', 'Something went wrong on our side. Reload in a moment.'),
    restarting: said('One moment', 'The service is restarting, and nothing was done. Reload in a moment.'),
    makesNoSense: said('That did not work', 'This request makes no sense.'),
  },

  payment: {
    confirm: said('Confirm your payment', 'Your bank asks you to confirm this payment.'),
    notConfirmedYet: said(
      'Not finished yet',
      'Your bank has not confirmed this payment so far.',
      'If you have just confirmed it, check again in a moment. Otherwise go on to your bank.',
    ),
    tooLate: said(
      'The time is over',
      'This payment was not confirmed in time. We are making sure with your bank that nothing is charged.',
    ),
    inProgress: said('In progress', 'This payment is being processed. Check again in a moment, and do not pay twice.'),
    lookedInto: said(
      'We are looking into it',
      'Your bank and our records do not agree about this payment yet. Please do not pay again; the merchant will tell you how it ended.',
    ),
    calledOff: (merchant: string) =>
      said('Payment called off', html`${bdi(merchant)} has released the amount. Your card was not charged.`),
    reserved: (merchant: string) =>
      said('Payment confirmed', html`The amount is reserved on your card. ${bdi(merchant)} collects it later.`),
    paid: (merchant: string) =>
      said('Paid', html`Thank you. ${bdi(merchant)} has your payment. You can close this page.`),
    refunded: (merchant: string, amount: string) =>
      said('Paid, and refunded', html`${bdi(merchant)} has given ${amount} back to your card.`),
    failed: {
      tooLate: said('The time is over', 'This payment was not confirmed in time.'),
      notConfirmed: said('Not confirmed', 'Your bank did not confirm this payment.'),
      notMade: said('Not paid', 'This payment was not made.'),
    },
    notCharged: 'Your card was not charged.',
    beginAgain: (merchant: string) => html`To pay, begin again at ${bdi(merchant)}.`,
    mayTryAgain: 'You can try again.',

    for: 'For',
    amount: 'Amount',
    reservedAmount: 'Reserved',
    chargedAmount: 'Charged',
    givenBackAmount: 'Given back',
    card: 'Card',
    cardEndingIn: (mask: string) => `ending in ${mask}`,
    receipt: 'Receipt',

    toTheBank: 'Continue to your bank',
    checkAgain: 'Check again',
    tryAgain: 'Try again',
    backToPayment: 'Back to your payment',
    backTo: (merchant: string) => html`Back to ${bdi(merchant)}`,

    nothingHere: said('Nothing here', 'There is no payment to finish here.'),
    notFromHere: said('Not from here', 'Open the page of your payment, and continue from there.'),
    tooFast: said('Too fast', 'Wait a moment, then go back and try again.'),
    notNow: said('Not now', 'The payment service cannot be reached just now. Go back and try again soon.'),
  },

  card: {
    number: 'Card number',
    expiry: 'Expiry',
    expiryLooksLike: 'MM/YY',
    cvc: 'Security code',
    wrong: {
      number: 'Enter the number as it stands on the card.',
      expiry: 'Enter the expiry as month and year, such as 08/29.',
      expired: 'This card has expired. Use another one.',
      cvc: 'Enter the security code: three or four digits.',
      reference: 'The card was not read. Enter it again.',
      consent: 'Tick the box: without your consent the card is not stored.',
    },
    /** Beside the fields it is said which, and why. */
    toCorrect: (count: number) =>
      count === 1
        ? 'Please check the field that is marked below.'
        : `Please check the ${count} fields that are marked below.`,
    /** A gateway says in English why it takes no card. */
    refused: (sentence: string) => sentence,
    notHereEither: 'This card cannot be stored here. Use another one.',
    testCardsOnly: 'Only test cards are taken here, and nobody’s real one.',
    stripeNeedsScript: 'The fields for your card come from Stripe and need JavaScript: allow it, and reload.',
    stripeNotLoaded: 'The fields for your card could not be loaded. Reload in a moment.',
    stripeNotReached: 'Stripe could not be reached. Try again.',
    straightToStripe: 'Your card goes straight to Stripe. Neither this page nor the merchant sees its number.',
  },

  cardLink: {
    heading: 'Add your card',
    asks: (merchant: string) =>
      html`${bdi(merchant)} asks for a card to keep for your payments. Nothing is charged now.`,
    consent: (merchant: string) =>
      html`I agree that ${bdi(merchant)} keeps this card and charges it for what I buy there.`,
    store: 'Store this card',
    stored: (merchant: string, mask: string) =>
      said(
        'Your card is stored',
        html`Your card ending in ${mask} is stored for ${bdi(merchant)}. Nothing was charged.`,
        'This link is used up, and cannot be used again.',
      ),
    nothingHere: said('Nothing here', 'There is no card to enter here. Ask whoever sent you the link for a new one.'),
    removedSince: (merchant: string) =>
      said('This link was used', html`The card that was entered here is no longer stored for ${bdi(merchant)}.`),
    expired: (merchant: string) =>
      said('This link has expired', html`No card was stored. Ask ${bdi(merchant)} for a new link.`),
    takesNone: (merchant: string) =>
      said('Not now', html`${bdi(merchant)} takes no cards here at the moment. No card was stored.`),
    addedByMerchant: (merchant: string) =>
      said('Not on this page', html`Cards are added by ${bdi(merchant)} itself. No card was stored.`),
    notFromHere: said('Not from here', 'Open your link again, and continue from there.'),
    /** `when`: in so many minutes. */
    tooManyTries: (when: string) => said('Too many tries', `Open your link again ${when}.`),
    busy: said('One moment', 'Your card is still being stored. Open your link again to see how it ended.'),
    notNow: said('Not now', 'Your card could not be stored at the moment. Open your link again and try again soon.'),
  },

  sandboxBank: {
    name: 'The sandbox bank',
    asks: said(
      'Is it you who pays?',
      'A real bank would ask for a code or a fingerprint here. This one takes your word.',
    ),
    to: 'To',
    yes: 'Yes, confirm',
    no: 'No, refuse',
    nothingHere: said('Nothing here', 'There is no payment to confirm here.'),
    notNow: said('Not now', 'The sandbox gateway does not answer. Try again.'),
  },

  mail: {
    /** To an address that somebody typed: it says the same whether or not it is known. */
    proof: {
      subject: (merchant: string) => `Your link to pay ${merchant}`,
      text: ({ merchant, title, link }: { merchant: string; title: string; link: string }) => `Hello,

somebody, probably you, is about to pay ${merchant} for:

  ${title}

and asked to use a card that is stored under this email address. To go on,
open this link and press the button there:

  ${link}

The link works once, for one hour. If no card is stored, you can enter one.

If it was not you, ignore this mail. Nothing is charged, and nobody sees
anything of yours.
`,
    },
  },

  checkout: {
    price: 'Price',
    quantity: 'Quantity',
    update: 'Update',
    total: 'Total',
    onlyLeft: (count: number) => (count === 1 ? 'Only one is left.' : `Only ${count} are left.`),
    optional: (label: string) => `${label} (optional)`,

    customer: 'Your details',
    email: 'Email',
    firstName: 'First name',
    lastName: 'Last name',
    notYou: 'Use another address',
    asks: (merchant: string) => html`${bdi(merchant)} would like to know`,

    shipping: 'Shipping address',
    billing: 'Billing address',
    street: 'Street and number',
    street2: 'Apartment, floor or company',
    city: 'City',
    state: 'State or region',
    zip: 'ZIP or postal code',
    country: 'Country',
    chooseCountry: 'Choose a country',
    phone: 'Phone',

    card: 'Your card',
    cvcWhere: 'Three digits on the back of the card. American Express: four on its front.',
    storedCard: (brand: string | null, mask: string) => `${brand ?? 'Card'} ending in ${mask}`,
    goodUntil: (expiry: string) => `expires ${expiry}`,
    anotherCard: 'Another card',
    keep: (merchant: string) =>
      html`Keep my card. I agree that ${bdi(merchant)} stores it and charges it for what I buy there.`,
    keptOtherwise: 'Leave this empty, and the card is used for this payment only.',
    testCard: 'To try it out, pay with the test card 4111 1111 1111 1111, any later date and any code.',
    cardAgain: 'Your card is kept nowhere until you have paid: enter it again.',
    noNewCards: (merchant: string) =>
      html`Cards cannot be entered on this page. To pay, ask ${bdi(merchant)} to add your card.`,
    hasStored: 'I have a card stored here',
    again: 'Yes, charge my card a second time.',

    pay: (amount: string) => `Pay ${amount}`,
    reserve: (amount: string) => `Reserve ${amount}`,
    reserves: (merchant: string) =>
      html`The amount is only reserved on your card now. ${bdi(merchant)} collects it later.`,
    sending: 'One moment…',

    problems: {
      required: 'Fill this in.',
      tooLong: 'Shorten this.',
      characters: 'Remove the control characters from this.',
      email: 'Enter an email address, such as name@example.com.',
      notForThem: 'This offer is for another email address.',
      otherThanProven:
        'The stored cards belong to the address that you confirmed. Pay with another card, or go back to it.',
      card: 'Choose the card that you want to pay with.',
      country: 'Choose a country.',
      answersTooLong: 'Your answers are too long together. Shorten this one.',
    },
    /** The problems themselves stand beside their fields. */
    toCorrect: (count: number) =>
      count === 1
        ? 'You were not charged yet. Please correct the field that is marked below.'
        : `You were not charged yet. Please correct the ${count} fields that are marked below.`,
    otherTotal: (amount: string) =>
      `You were not charged. The amount is ${amount}, which is not what the page showed. If you agree, enter your card again.`,
    fewerLeft: (count: number) =>
      count === 1
        ? 'You were not charged. Only one is left, so the amount has changed.'
        : `You were not charged. Only ${count} are left, so the amount has changed.`,
    declined: {
      card: 'Your card was declined. You were not charged. Try another card.',
      insufficientFunds:
        'Your card was declined: there is not enough money on it. You were not charged. Try another card.',
      expired: 'Your card was declined: it has expired. You were not charged. Try another card.',
      wrongCode: 'Your card was declined: the security code is wrong. You were not charged. Enter your card again.',
      notSupported: 'Your card does not allow this kind of payment. You were not charged. Try another card.',
      notConfirmed: 'Your bank did not confirm the payment. You were not charged. Try again, or try another card.',
      tooLate: 'The payment was not confirmed in time. You were not charged. You can try again.',
      stopped: (merchant: string) =>
        html`${bdi(merchant)} cannot sell this to you at the moment. You were not charged.`,
    },
    notNow: 'The payment could not be made at the moment. You were not charged. Try again in a few minutes.',
    cardNotUsable: 'This stored card can no longer be used. You were not charged. Choose another card.',
    cardRefused: 'You were not charged. Your card was not accepted.',
    tooManyTries: (when: string) => `There were too many tries. You were not charged. Try again ${when}.`,
    paidBefore: (ago: string) =>
      `This card paid for the same thing ${ago}. You were not charged again. If you want to pay a second time, enter your card again and tick the box.`,

    justNow: 'a moment ago',
    /** By another form in the same browser, such as one in another tab. A link to it follows. */
    paidHere: (ago: string) =>
      `You already made a payment for this ${ago}. You were not charged again. If you want to pay a second time, enter your card again and tick the box.`,
    openTooLong: 'This page was open for too long. Please check what you entered, and send it again.',

    noSuchOffer: said(
      'This link leads nowhere',
      'There is nothing to pay for here. Check the link, or ask whoever sent it to you for a new one.',
    ),
    inactive: (merchant: string) =>
      said('No longer for sale', html`${bdi(merchant)} does not sell this any more. You were not charged.`),
    expired: (merchant: string) =>
      said('This offer has expired', html`It can no longer be bought. Ask ${bdi(merchant)} if there is a new one.`),
    usedUp: (merchant: string) =>
      said('Sold out', html`None of it is left. Ask ${bdi(merchant)} if there will be more.`),
    forAnother: said(
      'Not for this address',
      'This offer is for somebody else, who has another email address.',
      'If it was sent to another address of yours, continue with that one.',
    ),
    continueWithOther: 'Continue with another address',
    noWayToPay: (merchant: string) =>
      said(
        'Not now',
        html`${bdi(merchant)} takes no payments here at the moment. You were not charged. Try again later.`,
      ),
    notFromHere: said('Please begin again', 'What was sent did not come from this page as it is now.'),
    tooManyGuesses: (when: string) => said('Too many tries', `Open this page again ${when}.`),
    busy: said('One moment', 'Your payment is still being processed. Please do not pay again.'),
    seeHowItStands: 'See how it stands',
    backToOffer: 'Back to the offer',

    paid: said('You have paid for this', 'Your payment has arrived. There is nothing left to do.'),
    reserved: said('You have paid for this', 'The amount is reserved on your card. There is nothing left to do.'),
    refunded: said('Your payment was refunded', 'The money goes back to your card.'),
    partlyRefunded: said('You have paid for this', 'A part of your payment was refunded to your card.'),
    inProgress: said('Your payment is in progress', 'Look at it again in a moment. Please do not pay twice.'),
    waitsForBank: said('Your payment waits for your bank', 'Your bank asks you to confirm it.'),
    calledOff: said('Your payment was called off', 'Your card was not charged.'),
    toPayment: 'See your payment',
    buyAgain: 'Buy it again',
  },

  proof: {
    heading: 'Use your stored card',
    asks: (merchant: string) =>
      html`If ${bdi(merchant)} has stored a card for you, we need to know that it is you. We will send a link to your email address.`,
    send: 'Send me the link',
    backToForm: 'Pay with another card',
    mailed: said(
      'Look into your mailbox',
      'We have sent you a link. Open it in this browser, within an hour, to pay with your stored card.',
      'If nothing arrives, look into the folder for unwanted mail.',
    ),
    tooOften: (when: string) =>
      said('Too many links', `No more links are sent for now. Ask again ${when}, or pay with another card.`),
    isItYou: (merchant: string) =>
      said('Is it you?', html`Continue to pay ${bdi(merchant)} with your stored card. Nothing is charged yet.`),
    itIsMe: 'Yes, continue',
    used: said('This link was used', 'Each link can be used once. If you still need one, ask for a new one.'),
    expired: said('This link has expired', 'Links are good for an hour. Ask for a new one.'),
    unknown: said('This link leads nowhere', 'Perhaps a part of it is missing. Ask for a new one.'),
    newLink: 'Get a new link',
  },
}
