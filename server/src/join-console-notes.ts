// Puts into the audit log what an operator did at the command line.

import type { MerchantId } from './core/ids.ts'
import type { Foundation } from './foundation.ts'
import { endChange, insertChange } from './store/console-changes.ts'

const commandLine = 'command line'

/** It is done already: an operator needs no leave of the log. */
export async function noteAtCommandLine(
  { sql, clock, newUuid }: Foundation,
  merchantId: MerchantId,
  { action, about }: { readonly action: string; readonly about: string },
): Promise<void> {
  const id = newUuid()
  const who = { by: commandLine, role: null, address: '', userAgent: '' }
  await insertChange(sql, { ...who, merchantId, id, at: clock.now(), action, about, detail: {} })
  await endChange(sql, { merchantId, id }, { status: 200, about: null })
}
