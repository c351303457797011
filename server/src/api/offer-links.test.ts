import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { offer as sample } from '../../test/support/sale-samples.ts'
import { plainLook } from '../core/look.ts'
import type { Currency } from '../core/money.ts'
import { buttonHtml } from './offer-links.ts'

const offer = { ...sample, title: 'Brass bell', amountMinor: 10_000n, currency: 'USD' as Currency }
const links = { mailTo: 'mailto:pay@pay.example?subject=a&body=b', pageUrl: 'https://pay.example/offers/1?a=1&b="2"' }

test('a button opens the mail program, and below it leads to the page', () => {
  const button = buttonHtml(offer, links, plainLook)
  const hrefs = [...button.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)
  assert.deepEqual(hrefs, [
    'mailto:pay@pay.example?subject=a&amp;body=b',
    'https://pay.example/offers/1?a=1&amp;b=&quot;2&quot;',
  ])
  assert.match(button, />Pay \$100\.00<\/a>/)
  assert.match(button, /or <a [^>]*>pay on a web page<\/a>/)
})

test('where no mail comes, the button itself leads to the page', () => {
  const button = buttonHtml(offer, { ...links, mailTo: null }, plainLook)
  const hrefs = [...button.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)
  assert.deepEqual(hrefs, ['https://pay.example/offers/1?a=1&amp;b=&quot;2&quot;'])
  assert.doesNotMatch(button, /mailto:|or <a/)
})

test('a button has nothing that mail programs take away: no class, no picture, no script, no style sheet', () => {
  const button = buttonHtml(offer, links, plainLook)
  assert.doesNotMatch(button, /class=|<img|<script|<style|url\(|<div/)
  assert.match(button, /^<table role="presentation" .*<\/table>$/)
  assert.match(button, /<td [^>]*bgcolor="#[0-9a-f]{6}" style="[^"]*mso-padding-alt:12px 24px"/)
  assert.ok(button.length < 2_048, String(button.length))
})

test('a button has the merchant’s colour, and letters that can be read on it', () => {
  const bright = buttonHtml(offer, links, { ...plainLook, buttonColor: '#ffee00' })
  assert.match(bright, /bgcolor="#ffee00"/)
  assert.match(bright, /background:#ffee00;color:#000000/)
  assert.match(buttonHtml(offer, links, { ...plainLook, buttonColor: '#101080' }), /background:#101080;color:#ffffff/)
})

test('a button without a colour of the merchant’s looks as on our pages', async () => {
  const style = await readFile(new URL('../pages/page.css', import.meta.url), 'utf8')
  const [, color] = /--button: (#[0-9a-f]{6});/.exec(style) ?? []
  assert.ok(color !== undefined)
  assert.ok(buttonHtml(offer, links, plainLook).includes(`bgcolor="${color}"`))
})
