// What a merchant looks after: the first page, what is in doubt, who is mailed about what, and the sandbox.

import type { FastifyInstance } from 'fastify'
import { type AlertPorts, alertRoutes } from './alerts.ts'
import { type DoubtPorts, doubtRoutes } from './doubt.ts'
import { type HomePorts, homeRoutes } from './home.ts'
import type { ConsolePorts } from './ports.ts'
import { type SandboxPorts, sandboxPageRoutes } from './sandbox.ts'

export type OverviewPorts = HomePorts & DoubtPorts & AlertPorts & SandboxPorts

export function overviewRoutes(app: FastifyInstance, ports: ConsolePorts & OverviewPorts): void {
  homeRoutes(app, ports)
  doubtRoutes(app, ports)
  alertRoutes(app, ports)
  sandboxPageRoutes(app, ports)
}
