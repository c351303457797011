import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { html, trusted } from './html.ts'

test('text from outside is text, whatever it says', () => {
  const name = `<script>alert("1")</script> & 'more'`
  assert.equal(
    html`<p title="${name}">${name}</p>`.text,
    '<p title="&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62; &#38; &#39;more&#39;">' +
      '&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62; &#38; &#39;more&#39;</p>',
  )
})

test('no text opens a tag, ends an attribute or makes an entity', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'<>&"\'=;#3a é') }), text => {
      assert.doesNotMatch(html`${text}`.text.replaceAll(/&#\d+;/g, ''), /[<>"'&]/)
    }),
  )
})

test('a part that is HTML stays it, and lists and nothing are written as such', () => {
  const part = html`<b>${'<'}</b>`
  assert.equal(html`${part}${[part, part]}${null}${7}`.text, '<b>&#60;</b>'.repeat(3).concat('7'))
  assert.equal(html`${trusted('a < b')}`.text, 'a < b')
  assert.equal(html`plain`.text, 'plain')
})
