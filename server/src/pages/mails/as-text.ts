// A mail's text part: short lines, and every address on a line of its own.

import { Html } from '../html.ts'
import type { Words } from '../words/words.ts'
import type { MailLetterhead, MailWay, ToldMail } from './mail.ts'
import { isolated } from './named.ts'

const lineCharsMax = 74

export function textOf(words: Words, { merchant, supportEmail, isSandbox }: MailLetterhead, told: ToldMail): string {
  const { heading, sentences, facts, button, notes, otherWay } = told
  const parts = [
    wrapped(heading),
    ...sentences.map(sentence => wrapped(plain(sentence))),
    ...(facts.length === 0 ? [] : [facts.map(([name, value]) => `  ${name}: ${isolated(value)}`).join('\n')]),
    ...(button === null ? [] : [wayOf(button)]),
    ...(otherWay === undefined ? [] : [wayOf(otherWay)]),
    ...notes.map(note => wrapped(plain(note))),
    `-- \n${[
      isolated(merchant),
      ...(supportEmail === null ? [] : [`${words.frame.questions} ${supportEmail}`]),
      ...(isSandbox ? [words.frame.sandbox] : []),
    ].join('\n')}`,
  ]
  return `${parts.join('\n\n')}\n`
}

function wayOf({ says, url }: MailWay): string {
  const before = /[.:]$/.test(says) ? says : `${says}:`
  return `${wrapped(before)}\n\n  ${url}`
}

/** As it would be read on a page. */
export function plain(sentence: Html | string): string {
  if (!(sentence instanceof Html)) return sentence
  // What is escaped holds no tag, so that the tags which there are can be told from it.
  return unescaped(sentence.text.replace(/<bdi>(.*?)<\/bdi>/gs, (_, name: string) => isolated(name)))
}

function unescaped(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
}

/** Broken at blanks alone. */
function wrapped(text: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line === '' || line.length + 1 + word.length <= lineCharsMax)
      lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
    else lines.push(word)
  }
  return lines.join('\n')
}
