import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { plainLook } from '../core/look.ts'
import type { Currency } from '../core/money.ts'
import { offer as sample } from '../core/samples.test.ts'
import { buttonHtml, mailTo } from './offer-links.ts'

const offer = { ...sample, title: 'Brass bell', amountMinor: 10_000n, currency: 'USD' as Currency }
const subjectOf = (title: string) =>
  new URL(mailTo({ ...offer, title }, 'pay.example')).searchParams.get('subject') ?? ''
const links = { mailTo: mailTo(offer, 'pay.example'), pageUrl: 'https://pay.example/offers/1?a=1&b="2"' }

test('a mail to an offer has its title for a subject, whatever the title is', () => {
  assert.equal(links.mailTo, `mailto:payment-id-${offer.id}@pay.example?subject=Brass%20bell`)
  for (const title of ['Bell & "clapper" <b>?', 'جرس نحاسي', '🔔👩‍👩‍👧‍👦 100 % + 1', 'a&body=b'])
    assert.equal(subjectOf(title), title)
  assert.equal(subjectOf('two\r\nBcc: lines'), 'two Bcc: lines')
})

test('a long title is cut between characters, so that every system opens the link', () => {
  assert.equal(subjectOf('x'.repeat(78)), 'x'.repeat(78))
  assert.equal(subjectOf('x'.repeat(79)), `${'x'.repeat(77)}…`)
  const family = '👩‍👩‍👧‍👦'
  assert.equal(subjectOf(`${'x'.repeat(76)}${family}${family}${family}`), `${'x'.repeat(76)}${family}…`)
  assert.ok(mailTo({ ...offer, title: '鐘'.repeat(255) }, 'pay.example').length < 2_000)
})

test('a button leads to the page, and below it to the mail', () => {
  const button = buttonHtml(offer, links, plainLook)
  const hrefs = [...button.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)
  assert.deepEqual(hrefs, ['https://pay.example/offers/1?a=1&amp;b=&quot;2&quot;', links.mailTo])
  assert.match(button, />Pay \$100\.00<\/a>/)
  assert.match(button, /or <a [^>]*>pay by email<\/a>/)
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
