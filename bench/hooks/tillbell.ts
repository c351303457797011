// Tillbell as it is run: one process with all roles. Its notifications are written straight into the tables, as a charge would
// have left them that committed and whose process died.

import { deliveriesChannel } from '../../server/src/join-hooks.ts'
import { fill } from '../fill.ts'
import { openWorld } from '../world.ts'
import { type Enter, tidying } from './contestant.ts'

export const enter: Enter = async ({ receiverUrl }) => {
  const world = await openWorld()
  const { sql, merchant } = world
  const endpoint = await world.addEndpoint('transaction', receiverUrl)
  return {
    async load(count) {
      await fill(sql, merchant, endpoint, count)
      await sql.notify(deliveriesChannel)
    },
    async left() {
      const [row] = await sql<
        { left: number }[]
      >`select count(*)::int as left from owed_delivery where state = 'pending'`
      return row?.left ?? 0
    },
    async tidy() {
      for (const statement of tidying) await sql.unsafe(statement)
    },
    stop: world.close,
  }
}
