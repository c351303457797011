// The merchant's people: their own accounts, the team, and what each of them changed.

import type { FastifyInstance } from 'fastify'
import { type AccountPorts, accountRoutes } from './account.ts'
import { type ChangePorts, changeRoutes } from './changes.ts'
import { type LinkPorts, linkRoutes } from './links.ts'
import { type OwnSessionPorts, ownSessionRoutes } from './own-sessions.ts'
import type { ConsolePorts } from './ports.ts'
import { type SecondFactorPorts, secondFactorRoutes } from './second-factor.ts'
import type { SessionPorts } from './session.ts'
import { type TeamPorts, teamRoutes } from './team.ts'

export type PeoplePorts = AccountPorts & SecondFactorPorts & OwnSessionPorts & LinkPorts & TeamPorts & ChangePorts

export function peopleRoutes(app: FastifyInstance, ports: ConsolePorts & SessionPorts & PeoplePorts): void {
  accountRoutes(app, ports)
  secondFactorRoutes(app, ports)
  ownSessionRoutes(app, ports)
  linkRoutes(app, ports)
  teamRoutes(app, ports)
  changeRoutes(app, ports)
}
