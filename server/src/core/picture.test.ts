import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pictures, pngOfSize } from '../../test/support/picture-samples.ts'
import { pictureIn } from './picture.ts'

test('a picture says by its first bytes what it is and how large', () => {
  for (const [name, { type, bytes }] of Object.entries(pictures)) {
    assert.deepEqual(pictureIn(bytes), { type, width: 3, height: 2 }, name)
    assert.deepEqual(pictureIn(new Uint8Array(bytes)), { type, width: 3, height: 2 }, name)
  }
  assert.deepEqual(pictureIn(pngOfSize(70_000, 1)), { type: 'image/png', width: 70_000, height: 1 })
})

test('a JPEG may have padding and other segments before it says its size', () => {
  const { bytes } = pictures.jpeg
  const note = [0xff, 0xff, 0xfe, 0x00, 0x04, 0xff, 0xc0]
  const tables = [0xff, 0xc4, 0x00, 0x08, 1, 1, 1, 1, 1, 1]
  const longer = Buffer.concat([bytes.subarray(0, 2), Buffer.from([...note, ...tables]), bytes.subarray(2)])
  assert.deepEqual(pictureIn(longer), { type: 'image/jpeg', width: 3, height: 2 })
})

test('what is cut off before it has said its size is no picture, and never an error', () => {
  for (const [name, { type, bytes }] of Object.entries(pictures)) {
    for (let length = 0; length < bytes.length; length++) {
      const found = pictureIn(bytes.subarray(0, length))
      if (found !== null) assert.deepEqual(found, { type, width: 3, height: 2 }, `${name} ${length}`)
    }
    assert.equal(pictureIn(bytes.subarray(0, 20)), null, name)
  }
})

test('whatever else somebody sends is no picture', () => {
  const texts = [
    '',
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'GIF89a\x01\x00\x01\x00',
    '\x89PNG',
    'RIFF1234WEBPVP9 ',
  ]
  for (const text of texts) assert.equal(pictureIn(Buffer.from(text, 'latin1')), null, text)
  const endless = Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(40_000, 0xff)])
  assert.equal(pictureIn(endless), null)
})
