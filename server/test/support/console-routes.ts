// Every route that the console has, as it registers them: none can be left out of a test by forgetting it.

import Fastify, { type FastifyContextConfig, type RouteOptions } from 'fastify'
import { resourceRoutes } from '../../src/api/resources.ts'
import { consoleRoutes } from '../../src/console/server.ts'
import { keywords } from '../../src/http/fields.ts'

export interface ConsoleRoute {
  readonly method: string
  /** Behind /console/. */
  readonly path: string
  readonly config: FastifyContextConfig
}

/** Whatever is asked of it: registering calls none of them. */
// biome-ignore lint/suspicious/noExplicitAny: it stands for every port there is
const anything: any = new Proxy(() => {}, { get: () => anything, apply: () => anything })

export async function listConsoleRoutes(): Promise<ConsoleRoute[]> {
  const app = Fastify({
    exposeHeadRoutes: false,
    ajv: {
      customOptions: { allowUnionTypes: true },
      plugins: [ajv => keywords.reduce((all, keyword) => all.addKeyword(keyword), ajv)],
    },
  })
  app.decorateRequest('caller', null)
  // Read when all are there: the console gives those of REST their needs as they register.
  const routes: RouteOptions[] = []
  app.addHook('onRoute', route => void routes.push(route))
  await app.register(async scope => consoleRoutes(scope, anything, rest => resourceRoutes(rest, anything)))
  await app.ready()
  await app.close()
  return routes.map(({ method, url, config = {} }) => ({
    method: String(method),
    path: url.replace(/^\/console\//, ''),
    config,
  }))
}
