// tillbell reopen

import { isoTime } from '../core/sale.ts'
import { reopen as reopenDatabase, restoredFrom } from '../restored.ts'
import { type Command, jsonOption } from './command.ts'
import { withFoundation } from './key.ts'

export const reopen: Command = {
  positionals: [],
  options: { json: jsonOption },
  notes: [
    'What was paid after the backup is not in the books: tillbell reconcile shows it. Whoever repeats a request of that time, with its idempotency key, is charged once',
    'more. So compare first, and tell the merchants what they are not to repeat. For 48 hours every email that asks to pay is confirmed by a link.',
  ],
  examples: ['tillbell reopen'],
  run: call =>
    withFoundation(call, async ({ sql, clock }) => {
      const takenAt = await restoredFrom(sql)
      await reopenDatabase(sql, clock.now())
      if (call.options.json === true) return call.print(JSON.stringify({ reopened: takenAt !== null }))
      call.print(
        takenAt === null
          ? 'It is open: it was not restored, or was opened before.'
          : `Open again. It was restored from a backup of ${isoTime(takenAt)}. Start the service with all its roles.`,
      )
    }),
}
