// What a merchant's own people are mailed: links that set a password.

import type { Role } from '../../core/login.ts'
import type { Words } from '../words/words.ts'
import { type MailLetterhead, type WrittenMail, writtenMail } from './mail.ts'
import { isolated, named } from './named.ts'

export interface ResetFacts {
  readonly head: MailLetterhead
  readonly email: string
  readonly link: string
}

export function resetMail(words: Words, { head, email, link }: ResetFacts): WrittenMail {
  const { reset } = words.people
  const merchant = named(head.merchant)
  return writtenMail(words, head, {
    subject: reset.subject(isolated(merchant)),
    heading: reset.heading,
    sentences: [reset.asked(merchant, email)],
    facts: [],
    button: { says: reset.button, url: link },
    notes: [reset.until, reset.notYou],
  })
}

export interface InvitationFacts {
  readonly head: MailLetterhead
  readonly by: string
  readonly role: Role
  readonly link: string
}

export function invitationMail(words: Words, { head, by, role, link }: InvitationFacts): WrittenMail {
  const { invitation } = words.people
  const merchant = named(head.merchant)
  return writtenMail(words, head, {
    subject: invitation.subject(isolated(merchant)),
    heading: invitation.heading,
    sentences: [invitation.invited(merchant, by, invitation.role[role]), invitation.how],
    facts: [],
    button: { says: invitation.button, url: link },
    notes: [invitation.until, invitation.notYou],
  })
}
