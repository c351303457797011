// Joins the docs to the world: where their files are, in the repository and in the package.

import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { nearest } from './core/nearest.ts'
import { rootOf } from './core/root-path.ts'
import type { Described } from './docs/operations.ts'
import { docsRoutes } from './docs/routes.ts'
import type { Joined } from './join-core.ts'

const here = import.meta.dirname
/** Inside of the package first: what is beside a package is somebody else's. */
const folders = [join(here, '../docs'), join(here, '../../docs')]
const sdkGuides = ['../node_modules/@tillbell/sdk/README.md', '../../sdk/README.md'].map(path => join(here, path))
/** Where `server/build-reference.ts` puts it. */
const builtReference = join(here, '../dist/reference')

export function docs({ ports }: Joined) {
  return async (app: FastifyInstance): Promise<void> => {
    const root = () => rootOf(ports.service.baseUrl)
    // Of what this very process serves: one that has pages and no REST finds hooks alone.
    const described = () => app.swagger() as Described
    docsRoutes(app, { folders, sdkGuides, builtReference, root, described, nearest })
  }
}
