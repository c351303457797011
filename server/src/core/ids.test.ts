import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { type OfferId, parseCardToken, parseGatewayId, parseUuid } from './ids.ts'

test('a UUID is accepted in any case and is lower case from then on', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.array(fc.boolean(), { minLength: 36, maxLength: 36 }), (uuid, upper) => {
      const mixed = [...uuid].map((char, index) => (upper[index] ? char.toUpperCase() : char)).join('')
      assert.equal(parseUuid<OfferId>(mixed), uuid)
    }),
  )
})

test('the nil UUID is a UUID: tests of hooks carry it', () => {
  assert.equal(parseUuid('00000000-0000-0000-0000-000000000000'), '00000000-0000-0000-0000-000000000000')
})

test('what is no UUID names nothing', () => {
  const uuid = '0192aaaa-0000-7000-8000-000000000001'
  const wrong = ['', ' ', uuid.slice(1), `${uuid}0`, ` ${uuid}`, `${uuid}\n`, `{${uuid}}`, uuid.replaceAll('-', '')]
  const wrongToo = [
    uuid.replace('a', 'g'),
    uuid.replace('0', '０'),
    uuid.replaceAll('-', '_'),
    `urn:uuid:${uuid}`,
    'null',
  ]
  for (const text of [...wrong, ...wrongToo]) assert.equal(parseUuid(text), null, text)
})

test('a card token is 24 characters of base64url, and its case counts', () => {
  const token = 'q83vEjRWeJCrze8SNFZ4kKvN'
  assert.equal(parseCardToken(token), token)
  assert.equal(parseCardToken('-_AZaz09-_AZaz09-_AZaz09'), '-_AZaz09-_AZaz09-_AZaz09')
  const wrong = ['', token.slice(1), `${token}A`, `${token.slice(1)}=`, `${token.slice(1)}+`, `${token}\n`, ` ${token}`]
  for (const text of wrong) assert.equal(parseCardToken(text), null, text)
})

test('a gateway’s id is gw_ and 22 characters of base64url', () => {
  const id = 'gw_abcdefghijKLMNOPQR-_12'
  assert.equal(parseGatewayId(id), id)
  const wrong = [
    '',
    id.slice(3),
    id.replace('gw_', 'm_'),
    id.replace('gw_', 'GW_'),
    `${id}3`,
    id.slice(0, -1),
    `${id}\n`,
  ]
  for (const text of wrong) assert.equal(parseGatewayId(text), null, text)
})
