// The routes of a service that runs, as it registers them: none can be left out of a test by forgetting it.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyContextConfig, FastifyInstance, RouteOptions } from 'fastify'

export interface Route {
  readonly method: string
  /** With `:id` and the like. */
  readonly url: string
  readonly config: FastifyContextConfig
  readonly body: { readonly properties?: { readonly [name: string]: object }; readonly required?: readonly string[] }
}

export interface Running {
  readonly app: FastifyInstance
  readonly routes: readonly Route[]
}

/** Of the service that `start` starts, on this thread. HEAD is GET without its body, and left out. */
export async function withRoutes<Service>(
  start: () => Promise<Service>,
): Promise<Running & { readonly service: Service }> {
  const registered: RouteOptions[] = []
  let app: FastifyInstance | null = null
  const begins = (message: unknown) => {
    const { fastify } = message as { readonly fastify: FastifyInstance }
    app = fastify
    fastify.addHook('onRoute', route => void registered.push(route))
  }
  subscribe('fastify.initialization', begins)
  try {
    const service = await start()
    if (app === null) throw new Error('no server was made')
    // Read when all are there: the console gives those of REST their needs as they register.
    const routes = registered.map(({ method, url, config = {}, schema }) => ({
      ...{ method: String(method), url, config },
      body: (schema?.body ?? {}) as Route['body'],
    }))
    return { service, app, routes: routes.filter(({ method }) => method !== 'HEAD') }
  } finally {
    unsubscribe('fastify.initialization', begins)
  }
}
