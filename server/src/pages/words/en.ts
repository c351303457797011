// What pages and mails say, in English. Sentences that hold a name or an amount are functions of it. `words.ts` takes the
// shape of every other language from here.

import { bdi, html } from '../html.ts'
import { enAlerts } from './alerts-en.ts'
import { enMail } from './mail-en.ts'
import { enPeople } from './people-en.ts'
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
    ourFault: said('That did not work', 'Something went wrong on our side. Please reload the page in a moment.'),
    restarting: said(
      'One moment',
      'The service is restarting or has too much to do, and nothing was done. Please reload the page in a moment.',
    ),
    away: said(
      'One moment',
      'We cannot reach our records at the moment. If you have just paid, we cannot say yet whether that was done. Please reload the page in a moment: nothing is charged twice.',
    ),
    makesNoSense: said('That did not work', 'We could not read this request. Please go back and try again.'),
    tooOften: said(
      'One moment',
      'Too many requests came from your network, and nothing was done. Please reload the page in a moment.',
    ),
    tooLong: said(
      'That is too long',
      'Your answers are too long. Please go back and shorten them. Nothing was charged.',
    ),
  },

  payment: {
    confirm: said('Confirm your payment', 'Your bank asks you to confirm this payment.'),
    notConfirmedYet: said(
      'Not finished yet',
      'Your bank has not confirmed this payment yet.',
      'If you have just confirmed it, check again in a moment. Otherwise, continue to your bank.',
    ),
    tooLate: said(
      'Time is up',
      'This payment was not confirmed in time. We are making sure with your bank that nothing is charged.',
    ),
    inProgress: said(
      'In progress',
      'This payment is being processed. This page will show the result. Please do not pay again.',
    ),
    lookedInto: said(
      'We are looking into it',
      'Your bank and our records do not agree about this payment yet. Please do not pay again. The merchant will tell you the result.',
    ),
    calledOff: (merchant: string) =>
      said('Payment cancelled', html`${bdi(merchant)} has released the amount. Your card was not charged.`),
    reserved: (merchant: string) =>
      said('Payment confirmed', html`The amount is reserved on your card. ${bdi(merchant)} will collect it later.`),
    paid: (merchant: string) =>
      said(
        'Payment complete',
        html`Thank you. ${bdi(merchant)} has received your payment.`,
        'Keep the address of this page: it is your receipt.',
      ),
    refunded: (merchant: string, amount: string) =>
      said('Refunded', html`${bdi(merchant)} has refunded ${amount} to your card.`),
    partlyRefunded: (merchant: string, amount: string) =>
      said('Partly refunded', html`${bdi(merchant)} has refunded ${amount} to your card.`),
    failed: {
      tooLate: said('Time is up', 'This payment was not confirmed in time.'),
      notConfirmed: said('Payment not confirmed', 'Your bank did not confirm this payment.'),
      notMade: said('Payment failed', 'This payment was not made.'),
    },
    notCharged: 'Your card was not charged.',
    beginAgain: (merchant: string) => html`To pay, please start again at ${bdi(merchant)}.`,
    mayTryAgain: 'You can try again.',

    for: 'For',
    amount: 'Amount',
    reservedAmount: 'Reserved',
    chargedAmount: 'Charged',
    givenBackAmount: 'Refunded',
    card: 'Card',
    cardEndingIn: (brand: string | null, mask: string) => `${brand ?? 'Card'} ending in ${mask}`,
    date: 'Date',
    receipt: 'Receipt',

    toTheBank: 'Continue to your bank',
    checkAgain: 'Check again',
    tryAgain: 'Try again',
    backToPayment: 'Back to your payment',
    backTo: (merchant: string) => html`Back to ${bdi(merchant)}`,

    nothingHere: said('Payment not found', 'There is no such payment here. Please check the link.'),
    notFromHere: said('Please go back', 'Open the page of your payment and continue from there.'),
    tooFast: said('Please wait a moment', 'Then go back and try again.'),
    notNow: said(
      'Not available right now',
      'We cannot reach the payment service. Please go back and try again in a few minutes.',
    ),
  },

  card: {
    number: 'Card number',
    expiry: 'Expiry',
    expiryLooksLike: 'MM/YY',
    cvc: 'Security code',
    wrong: {
      number: 'Enter the number on the card. Please check each digit.',
      expiry: 'Enter the expiry date as month and year, such as 08/29.',
      expired: 'This card has expired. Please use another one.',
      cvc: 'Enter the security code: three or four digits.',
      reference: 'Your card could not be read. Please enter it again.',
      consent: 'Tick this box. Without your consent, the card is not saved.',
    },
    /** Beside the fields it is said which, and why. */
    toCorrect: (count: number | string) =>
      count === 1 ? 'Please check the field marked below.' : `Please check the ${count} fields marked below.`,
    /** A gateway says in English why it takes no card. */
    refused: (sentence: string) => sentence,
    notHereEither: 'This card cannot be saved here. Please use another one.',
    testCardsOnly: 'This page takes test cards only. Do not enter a real card.',
    stripeNeedsScript: 'The card fields come from Stripe and need JavaScript. Please turn it on and reload the page.',
    stripeNotLoaded: 'The card fields could not be loaded. Please reload the page in a moment.',
    stripeNotReached: 'Stripe could not be reached. Please try again.',
    straightToStripe: 'Your card goes straight to Stripe. Neither this page nor the merchant sees its number.',
  },

  cardLink: {
    heading: 'Add your card',
    /** `email`: part of the address. */
    asks: (merchant: string, email: string) =>
      html`${bdi(merchant)} would like to save a card for payments of ${bdi(email)}. Nothing is charged now. If this is not your email address, do not enter a card.`,
    consent: (merchant: string, email: string) =>
      html`I agree that ${bdi(merchant)} saves this card and charges it for what ${bdi(email)} buys there.`,
    store: 'Save this card',
    stored: (merchant: string, mask: string) =>
      said(
        'Your card is saved',
        html`Your card ending in ${mask} is saved for ${bdi(merchant)}. Nothing was charged.`,
        'To replace or remove it, ask them for a new link.',
      ),
    nothingHere: said('This link does not work', 'Please ask whoever sent it to you for a new one.'),
    removedSince: (merchant: string) =>
      said('This link has been used', html`The card entered here is no longer saved for ${bdi(merchant)}.`),
    expired: (merchant: string) =>
      said('This link has expired', html`No card was saved. Please ask ${bdi(merchant)} for a new link.`),
    takesNone: (merchant: string) =>
      said('Not available right now', html`${bdi(merchant)} cannot take cards here at the moment. No card was saved.`),
    addedByMerchant: (merchant: string) =>
      said('Not on this page', html`${bdi(merchant)} adds cards in another way. No card was saved.`),
    notFromHere: said('Please go back', 'Open your link again and continue from there.'),
    /** `when`: in so many minutes. */
    tooManyTries: (when: string) => said('Too many tries', `Open your link again ${when}.`),
    busy: said('One moment', 'Your card is still being saved. Open your link again to see the result.'),
    notNow: said(
      'Not available right now',
      'Your card could not be saved. Please open your link again in a few minutes.',
    ),
  },

  sandboxBank: {
    name: 'The sandbox bank',
    asks: said(
      'Is this your payment?',
      'A real bank would ask for a code or a fingerprint here. This one takes your word for it.',
    ),
    to: 'To',
    yes: 'Yes, confirm',
    no: 'No, refuse',
    nothingHere: said('Payment not found', 'There is no payment to confirm here.'),
    notNow: said('Not available right now', 'The sandbox gateway does not answer. Please try again.'),
  },

  mail: enMail,
  alerts: enAlerts,
  people: enPeople,

  checkout: {
    price: 'Price each',
    quantity: 'Quantity',
    update: 'Update',
    total: 'Total',
    onlyLeft: (count: number) => (count === 1 ? 'Only one is left.' : `Only ${count} are left.`),
    wrongUnits: (max: number) => (max === 1 ? 'Enter 1.' : `Enter a whole number from 1 to ${max}.`),
    optional: (label: string) => `${label} (optional)`,

    customer: 'Your details',
    email: 'Email',
    firstName: 'First name',
    lastName: 'Last name',
    notYou: 'Use a different email',
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
    cvcWhere: '3 digits on the back. American Express: 4 on the front.',
    storedCard: (brand: string | null, mask: string) => `${brand ?? 'Card'} ending in ${mask}`,
    goodUntil: (expiry: string) => `expires ${expiry}`,
    anotherCard: 'Another card',
    keep: (merchant: string) =>
      html`Save my card. I agree that ${bdi(merchant)} keeps it and charges it for what I buy there.`,
    keptOtherwise: 'If you leave this unticked, the card is used for this payment only.',
    testCard: 'To try it out, use the test card 4111\u00a01111\u00a01111\u00a01111, any future date and any code.',
    cardAgain: 'For your safety, please enter your card again.',
    noNewCards: (merchant: string) =>
      html`You cannot enter a card on this page. To pay, please ask ${bdi(merchant)} to add your card.`,
    hasStored: 'Use a card I saved',
    again: 'Yes, charge my card a second time.',

    /** Whoever has the link reads it: it does not say what is missing, which would say who is known. */
    goesOn: (email: string) =>
      html`This completes the payment that ${bdi(email)} asked for by email. Nothing has been charged yet.`,
    pay: (amount: string) => `Pay ${amount}`,
    reserve: (amount: string) => `Reserve ${amount}`,
    reserves: (merchant: string) =>
      html`The amount is only reserved on your card for now. ${bdi(merchant)} will collect it later.`,
    whoIsPaid: (merchant: string) => html`You are paying ${bdi(merchant)}, who never sees your card number.`,
    sending: 'One moment…',
    slow: 'This is taking longer than usual. Please keep this page open.',

    /** By the name of the field that was left empty. */
    missing: {
      first_name: 'Enter your first name.',
      street: 'Enter the street and number.',
      city: 'Enter the city.',
      state: 'Enter the state.',
      zip: 'Enter the ZIP code.',
      again: 'Tick this box to pay a second time.',
    },

    problems: {
      required: 'Please answer this.',
      tooLong: 'Please shorten this.',
      characters: 'This contains characters that cannot be used here. Please type it again.',
      email: 'Enter an email address, such as name@example.com.',
      notForThem: 'This offer is for a different email address.',
      otherThanProven: 'The saved cards belong to the email you confirmed. Use that email, or pay with another card.',
      card: 'Choose the card you want to pay with.',
      country: 'Choose a country.',
      answersTooLong: 'Your answers are too long. Please shorten this one.',
    },
    /** The problems themselves stand beside their fields. */
    toCorrect: (count: number | string) =>
      count === 1
        ? 'You have not been charged. Please check the marked field.'
        : `You have not been charged. Please check the ${count} marked fields.`,
    otherTotal: (amount: string) =>
      `You have not been charged. The total is now ${amount}. If that is right, pay again.`,
    fewerLeft: (count: number) =>
      count === 1
        ? 'You have not been charged. Only one is left, so the total has changed.'
        : `You have not been charged. Only ${count} are left, so the total has changed.`,
    declined: {
      card: 'Your card was declined. You have not been charged. Please try another card.',
      insufficientFunds:
        'Your card was declined for lack of funds. You have not been charged. Please try another card.',
      expired: 'Your card was declined because it has expired. You have not been charged. Please try another card.',
      wrongCode:
        'Your card was declined because the security code is wrong. You have not been charged. Please enter your card again.',
      notSupported:
        'Your card does not allow this kind of payment. You have not been charged. Please try another card.',
      notConfirmed:
        'Your bank did not confirm the payment. You have not been charged. Please try again, or use another card.',
      tooLate: 'The payment was not confirmed in time. You have not been charged. You can try again.',
      stopped: (merchant: string) =>
        html`${bdi(merchant)} cannot sell this to you at the moment. You have not been charged.`,
    },
    notNow: 'The payment did not go through. You have not been charged. Please try again in a few minutes.',
    tokenUsed: said(
      'This payment cannot be made',
      'It was asked for with a code that has been used or withdrawn since. Nothing was charged now.',
    ),
    cardNotUsable: 'This saved card can no longer be used. You have not been charged. Please choose another card.',
    cardRefused: 'You have not been charged. Your card was not accepted.',
    tooManyTries: (when: string) => `There were too many tries. You were not charged. Try again ${when}.`,
    paidBefore: {
      byThisCard: (ago: string) =>
        `This card paid for the same thing ${ago}. You were not charged again. If you want to pay a second time, tick the box and pay again.`,
      /** With whatever card: for an offer that is for one customer. */
      paid: (ago: string) =>
        `This was already paid ${ago}. You were not charged again. If you want to pay a second time, tick the box and pay again.`,
      inProgress: (ago: string, isByMail: boolean) =>
        `A payment ${isByMail ? 'by email ' : ''}for this, made ${ago}, is still being processed. You were not charged again. If you want to pay a second time, tick the box and pay again.`,
      waitsForBank: (ago: string, isByMail: boolean) =>
        `A payment ${isByMail ? 'by email ' : ''}for this, made ${ago}, is waiting for confirmation at the bank. You were not charged again. If you want to pay a second time, tick the box and pay again.`,
    },

    justNow: 'a moment ago',
    /** By another form in the same browser, such as one in another tab. A link to it follows. */
    paidHere: (ago: string) =>
      `You already made a payment for this ${ago}. You were not charged again. If you want to pay a second time, tick the box and pay again.`,
    openTooLong: 'This page was open for too long. Please check what you entered, and send it again.',

    noSuchOffer: said(
      'This link does not work',
      'There is nothing to pay for here. Check the link, or ask whoever sent it to you for a new one.',
    ),
    inactive: (merchant: string, title: string) =>
      said('No longer for sale', html`${bdi(merchant)} no longer sells “${bdi(title)}”. You have not been charged.`),
    expired: (merchant: string, title: string) =>
      said(
        'This offer has expired',
        html`“${bdi(title)}” can no longer be bought here. Please ask ${bdi(merchant)} whether there is a new offer.`,
      ),
    usedUp: (merchant: string, title: string) =>
      said('Sold out', html`“${bdi(title)}” is sold out. Please ask ${bdi(merchant)} whether there will be more.`),
    forAnother: said(
      'Not for this email',
      'This offer is for someone with a different email address.',
      'If it was sent to another email of yours, continue with that one.',
    ),
    continueWithOther: 'Continue with a different email',
    noWayToPay: (merchant: string) =>
      said(
        'Not available right now',
        html`${bdi(merchant)} cannot take payments here at the moment. You have not been charged. Please try again later.`,
      ),
    notFromHere: said(
      'Please begin again',
      'This form is not from the page as it is now. Open the offer and fill it in again.',
    ),
    tooManyGuesses: (when: string) => said('Too many tries', `Open this page again ${when}.`),
    busy: said('One moment', 'Your payment is still being processed. Please do not pay again.'),
    seeHowItStands: 'Check the status',
    backToOffer: 'Back to the offer',

    paid: said('You have paid for this', 'Your payment has arrived. There is nothing left to do.'),
    reserved: said('You have ordered this', 'The amount is reserved on your card. There is nothing left to do.'),
    refunded: said('Your payment was refunded', 'The money goes back to your card.'),
    partlyRefunded: said('You have paid for this', 'A part of your payment was refunded to your card.'),
    inProgress: said('Your payment is in progress', 'Please do not pay again. See your payment for the result.'),
    waitsForBank: said('Your payment is waiting for you', 'Your bank asks you to confirm it.'),
    calledOff: said('Your payment was cancelled', 'Your card was not charged.'),
    toPayment: 'See your payment',
    buyAgain: 'Buy it again',
  },

  proof: {
    heading: 'Use a card you saved',
    asks: (merchant: string) =>
      html`If you have saved a card with ${bdi(merchant)}, we first need to know that it is you. We will email you a link.`,
    send: 'Email me the link',
    backToForm: 'Pay with another card',
    mailed: said(
      'Check your email',
      'We have sent you a link. Open it in this browser within an hour to pay with your saved card.',
      'If nothing arrives, check your spam folder.',
    ),
    tooOften: (when: string) =>
      said('Too many links', `No more links are sent for now. Ask again ${when}, or pay with another card.`),
    isItYou: (merchant: string, email: string) =>
      said(
        'Is it you?',
        html`Continue as ${bdi(email)} to pay ${bdi(merchant)} with your saved card. Nothing is charged yet.`,
        'If this is not your email address, close this page.',
      ),
    itIsMe: 'Yes, continue',
    /** A payment that was asked for by mail. */
    confirm: (merchant: string, email: string) =>
      said(
        'Confirm your payment',
        html`An email from ${bdi(email)} asked to pay ${bdi(merchant)}. Nothing has been charged yet.`,
      ),
    confirmAndPay: (amount: string) => `Confirm and pay ${amount}`,
    confirmAndReserve: (amount: string) => `Confirm and reserve ${amount}`,
    otherCard: 'Use another card',
    goOn: 'Continue',
    notYou:
      'If you did not want to pay, or this is not your email address, do nothing: close this page. Nothing is charged.',
    used: said('This link has been used', 'Each link works once. If you still need one, ask for a new one.'),
    expired: said('This link has expired', 'Links work for an hour. Please ask for a new one.'),
    unknown: said(
      'This link does not work',
      'It may be too old, or part of it may be missing. Please ask for a new one.',
    ),
    newLink: 'Get a new link',
  },

  /** A card that was saved while paying, by somebody whose email address is not confirmed yet. */
  savedCard: {
    asks: 'You saved this card. To pay with it again, confirm your email address.',
    send: 'Email me a link',
    mailed: said(
      'Check your email',
      'We have sent you a link. Open it in this browser within an hour to confirm your email address.',
      'If nothing arrives, check your spam folder. The address you entered may also be wrong: then enter your card again next time.',
    ),
    tooOften: (when: string) =>
      said('Too many links', `No more links are sent for now. Ask again ${when}. Your payment is not affected.`),
    confirm: (merchant: string, email: string) =>
      said(
        'Confirm your email address',
        html`You saved this card for ${bdi(email)}. Whoever reads email there can pay ${bdi(merchant)} with it from now on. Nothing is charged.`,
        'If this is not your email address, close this page.',
      ),
    confirmButton: 'Confirm',
    isSaved: 'Your card is saved. You can pay with it from now on.',
  },
}
