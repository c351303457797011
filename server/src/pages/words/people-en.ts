// What mails to a merchant's own people say, in English.

import { bdi, html } from '../html.ts'

export const enPeople = {
  reset: {
    subject: (merchant: string) => `Set a new password for the dashboard of ${merchant}`,
    heading: 'Set a new password',
    asked: (merchant: string, email: string) =>
      html`Someone, probably you, asked to set a new password for ${bdi(email)} in the dashboard of ${bdi(merchant)}.`,
    button: 'Set a new password',
    until: 'The link works once, within an hour. You will be signed out everywhere.',
    notYou: 'If this was not you, ignore this email. Your password stays as it is.',
  },
  invitation: {
    subject: (merchant: string) => `You are invited to the dashboard of ${merchant}`,
    heading: 'You are invited',
    invited: (merchant: string, by: string, role: string) =>
      html`${bdi(by)} invites you to the dashboard of ${bdi(merchant)}, as ${role}.`,
    role: { owner: 'an owner', developer: 'a developer', viewer: 'a viewer' },
    how: 'To accept, open the link below and choose a password.',
    button: 'Accept the invitation',
    until: 'The link works once, within 7 days.',
    notYou: 'If you do not know who this is, ignore this email. Nothing happens then.',
  },
}
