// Tillbell as it is run: one process with all roles. Its notifications are written straight into the tables, as a charge would
// have left them that committed and whose process died.

import { deliveriesChannel } from '../../server/src/join-hooks.ts'
import { fill } from '../fill.ts'
import { openWorld } from '../world.ts'
import type { Enter } from './contestant.ts'

export const enter: Enter = async ({ receiverUrl }) => {
  const world = await openWorld()
  const { sql, merchant } = world
  const endpoint = await world.addEndpoint('transaction', receiverUrl)
  return {
    async tidy() {
      await sql.unsafe('vacuum analyze')
    },
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
    stop: world.close,
  }
}
