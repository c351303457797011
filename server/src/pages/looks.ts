// A merchant's colours as a style sheet: its address says all that is in it, so that nothing is looked up. And its logo, whose
// address names its bytes. Both are kept for good.

import type { FastifyInstance } from 'fastify'
import { type MerchantId, parseMerchantId } from '../core/ids.ts'
import { inkOn, type Look, type WholeLogo } from '../core/look.ts'
import { forGood } from '../http/named-files.ts'

/** Null: the page has no colours of its own. */
export function lookPath({ buttonColor, backgroundColor }: Look): string | null {
  if (buttonColor === null && backgroundColor === null) return null
  return `/pages/looks/${(buttonColor ?? '').slice(1)}-${(backgroundColor ?? '').slice(1)}.css`
}

export interface LookPorts {
  /** Null: the merchant has no logo, or another one. */
  findLogo(merchantId: MerchantId, sha256: string): Promise<WholeLogo | null>
}

export function lookRoutes(app: FastifyInstance, ports: LookPorts): void {
  app.get<{ Params: { colors: string } }>('/pages/looks/:colors', { schema: { hide: true } }, (request, reply) => {
    const [all, button, background] = /^([0-9a-f]{6})?-([0-9a-f]{6})?\.css$/.exec(request.params.colors) ?? []
    if (all === undefined) return reply.callNotFound()
    return reply.type('text/css; charset=utf-8').header('Cache-Control', forGood).send(styleOf(button, background))
  })
  app.get<{ Params: { merchant: string; sha256: string } }>(
    '/pages/logos/:merchant/:sha256',
    { schema: { hide: true } },
    async (request, reply) => {
      const { merchant, sha256 } = request.params
      const merchantId = parseMerchantId(merchant)
      const isNamed = merchantId !== null && /^[0-9a-f]{64}$/.test(sha256)
      const logo = isNamed ? await ports.findLogo(merchantId, sha256) : null
      if (logo === null) return reply.callNotFound()
      return reply.headers({ ...logoHeaders, 'Content-Type': logo.type }).send(logo.bytes)
    },
  )
}

/** Somebody else's bytes: whatever a browser takes them for, they run nothing and fetch nothing. */
const logoHeaders = { 'Cache-Control': forGood, 'Content-Security-Policy': "default-src 'none'" }

/** The same by day and by night: they are the merchant's. */
function styleOf(button: string | undefined, background: string | undefined): string {
  const rules = [
    ...(button === undefined ? [] : [`--button: #${button}`, `--on-button: ${inkOn(`#${button}`)}`]),
    ...(background === undefined ? [] : [`--paper: #${background}`, `--on-paper: ${inkOn(`#${background}`)}`]),
  ]
  return `:root {\n${rules.map(rule => `  ${rule};\n`).join('')}}\n`
}
