// What pages and mails say, in English. Sentences that hold a name or an amount are functions of it. `words.ts` takes the
// shape of every other language from here.

export const en = {
  language: 'en',
  /** For amounts, times and the names of countries. */
  locale: 'en-US',
  frame: {
    sandbox: 'This is a sandbox: no money moves.',
    questions: 'Questions? Write to',
  },
  mail: {
    /** To an address that somebody typed: it says the same whether or not it is known. */
    proof: {
      subject: (merchant: string) => `Your link to pay ${merchant}`,
      text: ({ merchant, title, link }: ProofFacts) => `Hello,

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
}

export interface ProofFacts {
  readonly merchant: string
  readonly title: string
  readonly link: string
}
