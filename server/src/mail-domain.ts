// Where customers' mail can come from outside. `localhost`, the default, is a machine's name for itself: good for trying
// things out, and in live mode an address to which nobody's mail comes.

import type { Config } from './config.ts'

/** Null: none, and so no link asks customers to write there. */
export function reachedMailDomain({ mode, mailDomain }: Pick<Config, 'mode' | 'mailDomain'>): string | null {
  return mode === 'live' && mailDomain === 'localhost' ? null : mailDomain
}
