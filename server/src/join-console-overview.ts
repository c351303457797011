// Joins what a merchant looks after to the world.

import type { OverviewPorts } from './console/overview.ts'
import type { Foundation } from './foundation.ts'
import { alertPorts } from './join-console-alerts.ts'
import { doubtPorts } from './join-console-doubt.ts'
import { homePorts } from './join-console-home.ts'
import { sandboxPorts } from './join-console-sandbox.ts'
import type { Joined } from './join-core.ts'

export function overviewPorts(foundation: Foundation, joined: Joined): OverviewPorts {
  return {
    ...homePorts(foundation),
    ...doubtPorts(foundation, joined),
    ...alertPorts(foundation),
    ...sandboxPorts(foundation, joined),
  }
}
