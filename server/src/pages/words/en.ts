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
}
