// The examples in Fastify and Next.js, without a process of their own: what a request makes of them is the same.

import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ordersIn } from './orders-in-sqlite.ts'
import type { Shop } from './shop-conformance.ts'

const examples = resolve(import.meta.dirname, '../../../examples')
const form = { 'content-type': 'application/x-www-form-urlencoded' }

interface FastifyApp {
  inject(request: object): Promise<{ readonly statusCode: number }>
}

export async function fastifyShop(folder: string): Promise<Shop> {
  const database = join(folder, 'fastify.sqlite')
  process.env.SHOP_DATABASE = database
  const { shop }: { shop(privateKeys: string): FastifyApp } = await import(fileUrl('fastify/app.js'))
  return {
    async ask({ method = 'POST', path, body, privateKeys }) {
      const headers = method === 'POST' ? form : {}
      return (await shop(privateKeys).inject({ method, url: path, headers, payload: body })).statusCode
    },
    orders: async () => ordersIn(database),
  }
}

interface Route {
  POST(request: Request, context: { readonly params: Promise<{ readonly kind: string }> }): Promise<Response>
}

/** Next's own part is to find the file by the path. */
export async function nextShop(folder: string): Promise<Shop> {
  const database = join(folder, 'nextjs.sqlite')
  const { POST }: Route = await import(fileUrl('nextjs/app/hooks/[kind]/route.ts'))
  return {
    async ask({ method = 'POST', path, body, privateKeys }) {
      const [, kind] = /^\/hooks\/([^/]+)$/.exec(path) ?? []
      if (kind === undefined) return 404
      if (method !== 'POST') return 405
      Object.assign(process.env, { SHOP_DATABASE: database, TILLBELL_PRIVATE_KEY: privateKeys })
      const request = new Request(`http://127.0.0.1:3000${path}`, { method, headers: form, body })
      return (await POST(request, { params: Promise.resolve({ kind }) })).status
    },
    orders: async () => ordersIn(database),
  }
}

function fileUrl(path: string): string {
  return pathToFileURL(join(examples, path)).href
}
