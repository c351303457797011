// The OpenAPI document of this very process. Anybody may ask for it, so that its bytes are made once.

import { gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { answerText } from '../core/json.ts'
import type { ServiceFacts } from '../core/sale.ts'
import { acceptsEncoding } from '../http/accepted-encoding.ts'
import { contentVersion, isCurrentVersion } from '../http/named-files.ts'

/** Some 300 KB are written. */
const documentPoints = 6

interface DocumentBytes {
  readonly plain: Buffer
  readonly gzip: Buffer
  readonly etag: string
}

export function documentRoute(app: FastifyInstance, service: ServiceFacts): void {
  // The base address is known only once the port is.
  let made: DocumentBytes | null = null
  app.get(
    '/api/v5/openapi.json',
    { schema: { hide: true }, config: { points: documentPoints } },
    async (request, reply) => {
      made ??= bytesOf(answerText({ ...app.swagger(), servers: [{ url: service.baseUrl }] }))
      const { plain, gzip, etag } = made
      reply.headers({ ETag: etag, Vary: 'Accept-Encoding' })
      if (isCurrentVersion(etag, request)) return reply.code(304).send()
      const isPacked = acceptsEncoding(request.headers['accept-encoding'] ?? '', 'gzip')
      if (isPacked) reply.header('Content-Encoding', 'gzip')
      return reply.send(isPacked ? gzip : plain)
    },
  )
}

function bytesOf(text: string): DocumentBytes {
  const plain = Buffer.from(text)
  return { plain, gzip: gzipSync(plain), etag: `"${contentVersion(plain)}"` }
}
