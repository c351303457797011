// A merchant's colours as a style sheet. Its address says all that is in it, so that nothing is looked up and it is kept for good.

import type { FastifyInstance } from 'fastify'
import type { MerchantId } from '../core/ids.ts'
import { inkOn, type Logo, type Look } from '../core/look.ts'
import { forGood } from './files.ts'

/** Null: the page has no colours of its own. */
export function lookPath({ buttonColor, backgroundColor }: Look): string | null {
  if (buttonColor === null && backgroundColor === null) return null
  return `/pages/looks/${(buttonColor ?? '').slice(1)}-${(backgroundColor ?? '').slice(1)}.css`
}

export function logoPath(merchantId: MerchantId, { sha256 }: Logo): string {
  return `/pages/logos/${merchantId}/${sha256}`
}

export function lookRoutes(app: FastifyInstance): void {
  app.get<{ Params: { colors: string } }>('/pages/looks/:colors', { schema: { hide: true } }, (request, reply) => {
    const [all, button, background] = /^([0-9a-f]{6})?-([0-9a-f]{6})?\.css$/.exec(request.params.colors) ?? []
    if (all === undefined) return reply.callNotFound()
    return reply.type('text/css; charset=utf-8').header('Cache-Control', forGood).send(styleOf(button, background))
  })
}

/** The same by day and by night: they are the merchant's. */
function styleOf(button: string | undefined, background: string | undefined): string {
  const rules = [
    ...(button === undefined ? [] : [`--button: #${button}`, `--on-button: ${inkOn(`#${button}`)}`]),
    ...(background === undefined ? [] : [`--paper: #${background}`, `--on-paper: ${inkOn(`#${background}`)}`]),
  ]
  return `:root {\n${rules.map(rule => `  ${rule};\n`).join('')}}\n`
}
