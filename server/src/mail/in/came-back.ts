// Mail for the addresses that our own mails come from, and that every mail domain has: nobody reads it. Most of it is bounces.

const messageIds = /^message-id:[ \t]*(?:\r\n[ \t]+)?(<[!-;=?-~]{1,250}>)/gim

/** The Message-ID of a mail of ours that is in it; null: there is none. `body` is text of bytes. */
export function ourMailIn(body: string, mailDomain: string): string | null {
  const ours = `@${mailDomain.toLowerCase()}>`
  for (const [, id = ''] of body.matchAll(messageIds)) if (id.toLowerCase().endsWith(ours)) return id
  return null
}
