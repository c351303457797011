// An offer's page as a QR code, for a poster, a bill or a screen: as a PNG for everything, as an SVG for print.

import type { FastifyInstance } from 'fastify'
import { encodeQR } from 'qr'
import { type OfferId, parseUuid } from '../core/ids.ts'
import { type Offer, ourPageUrl, pageUrlOf } from '../core/offer.ts'
import { costlyPoints } from '../http/strangers.ts'
import { sendNotice } from './form-pages.ts'
import { frameFor, type PageService } from './frame.ts'
import { html, trusted } from './html.ts'
import { pixelsPerSquare, pngOf } from './png.ts'

export interface QrPorts extends PageService {
  /** Null: there is no such offer. */
  find(offerId: OfferId): Promise<Offer | null>
}

const pictures = {
  png: (_: Offer, squares: Squares) => ({ type: 'image/png', bytes: pngOf(squares) }),
  svg: (offer: Offer, squares: Squares) => ({ type: 'image/svg+xml', bytes: Buffer.from(svgOf(squares, offer.title)) }),
}

/** An offer does not change; but where the service is may. */
const forAnHour = 'public, max-age=3600'

export function qrRoutes(app: FastifyInstance, ports: QrPorts): void {
  app.get<{ Params: { offer: string; kind: keyof typeof pictures } }>(
    '/offers/:offer(^[^.]+).:kind(^(?:png|svg)$)',
    { schema: { hide: true }, exposeHeadRoute: true, config: { points: costlyPoints } },
    async (request, reply) => {
      const offerId = parseUuid<OfferId>(request.params.offer)
      const offer = offerId === null ? null : await ports.find(offerId)
      if (offer === null) {
        const frame = frameFor(ports, request, null)
        return sendNotice(reply, frame, 404, frame.words.checkout.noSuchOffer)
      }
      const { type, bytes } = pictures[request.params.kind](offer, squaresOf(offer, ports.baseUrl()))
      const headers = { 'Cache-Control': forAnHour, 'Content-Security-Policy': "default-src 'none'" }
      return reply.headers({ ...headers, 'Content-Type': type }).send(bytes)
    },
  )
}

/** Rows of squares, true is black, with the white margin that readers need. */
type Squares = readonly (readonly boolean[])[]

/** What the largest code holds when a seventh of it may be damaged. */
const bytesMax = 2_331
const marginSquares = 4

function squaresOf(offer: Offer, baseUrl: string): Squares {
  // As a browser would send it: some readers do not understand letters beyond ASCII.
  const page = new URL(pageUrlOf(offer, baseUrl)).href
  const text = page.length <= bytesMax ? page : ourPageUrl(offer.id, baseUrl)
  return encodeQR(text, 'raw', { ecc: 'medium', border: marginSquares })
}

/** Any text that somebody is to read with a telephone. */
export function qrPicture(text: string, title: string): string {
  return svgOf(encodeQR(text, 'raw', { ecc: 'medium', border: marginSquares }), title)
}

function svgOf(squares: Squares, title: string): string {
  const size = squares.length
  const side = size * pixelsPerSquare
  const path = squares.flatMap((row, y) => blackRuns(row).map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`))
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" viewBox="0 0 ${size} ${size}" role="img" shape-rendering="crispEdges">
<title>${inXml(title)}</title>
<path fill="#fff" d="M0 0h${size}v${size}h-${size}z"/>
<path d="${trusted(path.join(''))}"/>
</svg>
`.text
}

/** Where each begins, and how long it is. */
function blackRuns(row: readonly boolean[]): (readonly [number, number])[] {
  const line = row.map(isBlack => (isBlack ? '#' : ' ')).join('')
  return [...line.matchAll(/#+/g)].map(({ 0: run, index }) => [index, run.length])
}

/** XML has no place for these, not even as entities: one of them, and there is no picture. */
function inXml(text: string): string {
  return text.replace(/[\p{Cc}\ufffe\uffff]/gu, ' ')
}
