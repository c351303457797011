// An offer's page as a QR code, read by a reader that is not ours.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import jsqr from 'jsqr'
import { answered } from './support/answers.ts'
import { type Pixels, pixelsOf } from './support/png-pixels.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

// Its types say that it is a module; it is a function.
const read = jsqr as unknown as typeof jsqr.default

function textIn({ width, height, isBlack }: Pixels): string | null {
  const rgba = new Uint8ClampedArray(width * height * 4)
  for (let at = 0; at < width * height; at++) {
    const light = isBlack(at % width, Math.floor(at / width)) ? 0 : 255
    rgba.set([light, light, light, 255], at * 4)
  }
  return read(rgba, width, height, { inversionAttempts: 'dontInvert' })?.data ?? null
}

/** Its one path drawn: runs of squares, each as large as the drawing says. */
function drawn(svg: string): Pixels {
  const [, side = '', size = ''] =
    /width="(\d+)" height="\1" viewBox="0 0 (\d+) \2"/.exec(svg) ?? assert.fail('no size')
  const [, white = '', black = ''] =
    /<path fill="#fff" d="([^"]+)"\/>\s<path d="([^"]+)"\/>\s<\/svg>\s$/.exec(svg) ?? assert.fail('no paths')
  assert.equal(white, `M0 0h${size}v${size}h-${size}z`)
  const runs = [...black.matchAll(/M(\d+) (\d+)h(\d+)v1h-(\d+)z/g)].map(run => run.slice(1).map(Number))
  assert.equal(runs.map(([x, y, length]) => `M${x} ${y}h${length}v1h-${length}z`).join(''), black)
  const squares = new Set(
    runs.flatMap(([x = 0, y = 0, length = 0]) => Array.from({ length }, (_, more) => `${x + more} ${y}`)),
  )
  const scale = Number(side) / Number(size)
  const isBlack = (x: number, y: number) => squares.has(`${Math.floor(x / scale)} ${Math.floor(y / scale)}`)
  return { width: Number(side), height: Number(side), isBlack }
}

async function codesOf(offer: string): Promise<{ readonly png: Pixels; readonly svg: string }> {
  const [png, svg] = await Promise.all(['png', 'svg'].map(kind => fetch(`${service.baseUrl}/offers/${offer}.${kind}`)))
  assert.ok(png !== undefined && svg !== undefined)
  for (const [answer, type] of [
    [png, 'image/png'],
    [svg, 'image/svg+xml'],
  ] as const) {
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('content-type'), type)
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=3600')
    assert.equal(answer.headers.get('content-security-policy'), "default-src 'none'")
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  }
  return { png: pixelsOf(Buffer.from(await png.arrayBuffer())), svg: await svg.text() }
}

async function saysEverywhere(offer: string, page: string): Promise<void> {
  const { png, svg } = await codesOf(offer)
  assert.equal(textIn(png), page)
  assert.equal(textIn(drawn(svg)), page)
}

test('the code of an offer leads to its page, as a PNG and as an SVG, with whatever case its id has', async () => {
  const { demo, baseUrl } = service
  const { offer } = answered(await demo.ask('offers', { form: { amount: '5.00' } }), 200).json
  assert.equal(offer.qr_code, `${baseUrl}/offers/${offer.offer_id}.png`)
  await saysEverywhere(offer.offer_id, offer.pcp_url)
  await saysEverywhere(offer.offer_id.toUpperCase(), offer.pcp_url)
})

test('the code leads to the merchant’s own page where the offer has one, however long its address', async () => {
  const address = (length: number) => 'https://shop.example/?'.padEnd(length, 'Order=7&')
  for (const page_url of [address(23), address(300), address(1_000), address(2_048)]) {
    await saysEverywhere(await service.demo.makeOffer({ page_url }), page_url)
  }
  const page_url = 'https://glöckner.example/ö?glocke=鐘'
  await saysEverywhere(await service.demo.makeOffer({ page_url }), new URL(page_url).href)
})

test('an address that no code can hold leaves the page that we have for the offer', async () => {
  const page_url = `https://shop.example/${'鐘'.repeat(2_000)}`
  const offer = await service.demo.makeOffer({ page_url })
  await saysEverywhere(offer, `${service.baseUrl}/offers/${offer}`)
})

test('around the code there is the white that readers need, and its squares are sharp', async () => {
  const { png, svg } = await codesOf(service.demo.offer)
  const margin = 4 * 8
  const isWhite = (x: number, y: number) => !png.isBlack(x, y)
  for (let at = 0; at < png.width; at++) {
    for (let deep = 0; deep < margin; deep++) {
      const far = png.width - 1 - deep
      assert.ok(isWhite(at, deep) && isWhite(deep, at) && isWhite(at, far) && isWhite(far, at), `${at} ${deep}`)
    }
  }
  assert.equal(png.height, png.width)
  assert.ok(png.isBlack(margin, margin), 'no more than that')
  assert.match(svg, /shape-rendering="crispEdges"/)
  assert.equal(drawn(svg).width, png.width)
})

test('the drawing says its title, whatever letters are in it', async () => {
  const offer = await service.demo.makeOffer({ title: 'جرس 🔔 <b> & "\'\u0001\u000b\uffff]]>' })
  const { svg } = await codesOf(offer)
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^>]*role="img"/)
  assert.match(svg, /<title>جرس 🔔 &#60;b&#62; &#38; &#34;&#39; {3}\]\]&#62;<\/title>/)
  assert.doesNotMatch(svg, /\p{Cc}(?<!\n)/u)
})

test('an offer that is over still has its code: its page says so', async () => {
  const offer = await service.demo.makeOffer()
  answered(await service.demo.ask(`offers/${offer}`, { method: 'DELETE' }), 200)
  await saysEverywhere(offer, `${service.baseUrl}/offers/${offer}`)
})

test('where there is no offer, there is a page that says so, and nothing to keep', async () => {
  const unknown = '01990000-0000-7000-8000-000000000000'
  for (const name of [unknown, 'none', '%00', `${service.demo.offer}0`]) {
    for (const kind of ['png', 'svg']) {
      const answer = await fetch(`${service.baseUrl}/offers/${name}.${kind}`)
      assert.equal(answer.status, 404, name)
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
      assert.equal(answer.headers.get('cache-control'), 'no-store')
    }
  }
  assert.equal((await fetch(`${service.baseUrl}/offers/${service.demo.offer}.gif`)).status, 404)
})
