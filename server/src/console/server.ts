// What the dashboard calls, under /console: who asks is known by a session, and may do what their role allows.

import type { FastifyInstance, RouteOptions } from 'fastify'
import { takeKnownArgumentsOnly } from '../http/known-arguments.ts'
import { type ApiKeyPorts, apiKeyRoutes } from './api-keys.ts'
import { consolePath } from './cookie.ts'
import { type CustomerPorts, customerRoutes } from './customers.ts'
import { type DroppedPorts, droppedRoutes } from './dropped.ts'
import { type EndpointCheckPorts, endpointCheckRoutes } from './endpoint-check.ts'
import { type EndpointPorts, endpointRoutes } from './endpoints.ts'
import { type GatewayTestPorts, gatewayTestRoutes } from './gateway-tests.ts'
import { checkRoute, guard } from './guard.ts'
import { type SellingPorts, sellingRoutes } from './offers.ts'
import { type OverviewPorts, overviewRoutes } from './overview.ts'
import { type PeoplePorts, peopleRoutes } from './people.ts'
import type { ConsolePorts } from './ports.ts'
import { type PreviewPorts, previewRoutes } from './previews.ts'
import { type PrivateKeyPorts, privateKeyRoutes } from './private-keys.ts'
import { recordChanges } from './record-changes.ts'
import { type ResendPorts, resendRoutes } from './resends.ts'
import { restNeeds } from './rest-needs.ts'
import { type SessionPorts, sessionRoutes } from './session.ts'
import { type TransactionPorts, transactionRoutes } from './transactions.ts'

export type AllConsolePorts = ConsolePorts &
  OverviewPorts &
  SessionPorts &
  TransactionPorts &
  CustomerPorts &
  PeoplePorts &
  SellingPorts &
  PreviewPorts &
  GatewayTestPorts &
  HookSettingsPorts
type HookSettingsPorts = ApiKeyPorts & PrivateKeyPorts & EndpointPorts & EndpointCheckPorts & ResendPorts & DroppedPorts

const restPrefix = `${consolePath}/rest`

/** `resources` registers the routes of REST: here they are asked with a session, and answer as they do there. */
export async function consoleRoutes(
  app: FastifyInstance,
  ports: AllConsolePorts,
  resources: (scope: FastifyInstance) => void,
): Promise<void> {
  app.addHook('onRoute', route => {
    if (route.url.startsWith(`${restPrefix}/`)) needsOfRest(route)
    checkRoute(route)
    route.schema = { ...route.schema, hide: true }
  })
  takeKnownArgumentsOnly(app)
  guard(app, ports)
  recordChanges(app, ports)
  await app.register(async scope => ownRoutes(scope, ports), { prefix: consolePath })
  await app.register(async scope => resources(scope), { prefix: restPrefix })
}

function needsOfRest(route: RouteOptions): void {
  const needs = restNeeds[`${String(route.method)} ${route.url.slice(restPrefix.length)}`]
  route.config = { ...route.config, ...needs }
}

function ownRoutes(app: FastifyInstance, ports: AllConsolePorts): void {
  sessionRoutes(app, ports)
  peopleRoutes(app, ports)
  apiKeyRoutes(app, ports)
  privateKeyRoutes(app, ports)
  endpointRoutes(app, ports)
  endpointCheckRoutes(app, ports)
  resendRoutes(app, ports)
  droppedRoutes(app, ports)
  sellingRoutes(app, ports)
  previewRoutes(app, ports)
  gatewayTestRoutes(app, ports)
  overviewRoutes(app, ports)
  transactionRoutes(app, ports)
  customerRoutes(app, ports)
}
