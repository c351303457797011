// Mail that no person wrote: bounces, lists, out of office. It never pays and is never answered (RFC 3834), or two machines would
// write to each other for ever.

import { type Field, valuesOf } from './header.ts'
import type { Envelope } from './ports.ts'

const bulk = /^\s*(bulk|list|junk|auto_reply)\b/i
const machines =
  /^(?:postmaster|mailer-daemon|mail-daemon|no-?_?\.?reply|do-?_?\.?not-?_?\.?reply|bounces?|listserv|majordomo)(?:$|[+=-])/i
const listMachines = [/^owner-./i, /.-request(?:$|[+=-])/i]

/** Null: a person may have written it. */
export function whyAutomatic(
  { mailFrom }: Pick<Envelope, 'mailFrom'>,
  fields: readonly Field[],
  mailDomain: string,
): string | null {
  if (mailFrom === '') return 'It has no sender to answer to.'
  if (mailFrom !== null && isMachine(mailFrom)) return 'Its sender is a machine.'
  if (valuesOf(fields, 'auto-submitted').some(value => !/^no\s*(;|\(|$)/i.test(value)))
    return 'It says it is automatic.'
  if (valuesOf(fields, 'precedence').some(value => bulk.test(value))) return 'It is bulk mail.'
  if (fields.some(({ name }) => name.startsWith('list-'))) return 'It comes from a mailing list.'
  if (valuesOf(fields, 'x-auto-response-suppress').some(value => !/^none$/i.test(value))) return 'It wants no answer.'
  if (fields.some(({ name }) => /^x-auto-?(reply|respond)/.test(name))) return 'It is an automatic answer.'
  if (valuesOf(fields, 'content-type').some(value => /^multipart\/report\b/i.test(value))) return 'It is a report.'
  if (valuesOf(fields, 'return-path').some(value => value === '<>')) return 'It has no sender to answer to.'
  return whoseFrom(valuesOf(fields, 'from'), mailDomain)
}

/** Loosely read: whether it is well-formed is judged elsewhere. */
function whoseFrom(froms: readonly string[], mailDomain: string): string | null {
  const words = froms.flatMap(from => from.split(/[\s<>,;:"()]/))
  const addresses = words.filter(word => word.includes('@'))
  if (addresses.some(isMachine)) return 'It is from a machine.'
  const ours = `@${mailDomain.toLowerCase()}`
  return addresses.some(address => address.toLowerCase().endsWith(ours)) ? 'It is from this service itself.' : null
}

function isMachine(address: string): boolean {
  const at = address.lastIndexOf('@')
  const mailbox = at < 0 ? '' : address.slice(0, at)
  return machines.test(mailbox) || listMachines.some(machine => machine.test(mailbox))
}
