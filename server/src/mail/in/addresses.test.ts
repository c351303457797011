import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMailboxes, showsAnother } from './addresses.ts'

const addresses = (text: string) => readMailboxes(text)?.map(({ address }) => address) ?? null

test('plain lists, with names as people and programs write them', () => {
  assert.deepEqual(addresses('Ada@Shop.test'), ['ada@shop.test'])
  assert.deepEqual(addresses('<ada@shop.test>'), ['ada@shop.test'])
  assert.deepEqual(addresses('"Ada, \\"the\\" first" <ada@shop.test>, Bob <bob@shop.test>'), [
    'ada@shop.test',
    'bob@shop.test',
  ])
  assert.deepEqual(readMailboxes('=?utf-8?q?Ad=C3=A1?= L. <ada@shop.test>'), [
    { name: 'Adá L.', address: 'ada@shop.test' },
  ])
})

test('what can be read in two ways is not read', () => {
  const texts = [
    '',
    ',',
    'ada@shop.test,',
    ', ada@shop.test',
    'ada@shop.test bob@shop.test',
    'ada@shop.test <bob@shop.test>, ',
    'ada@shop.test <bob@shop.test>',
    'a: ada@shop.test;',
    'ada@shop.test (Ada)',
    '(Ada) ada@shop.test',
    '"ada"@shop.test',
    '"ada@shop.test',
    '"ada@shop.test\\"',
    'ada@shop.test, "',
    'bob@shop.test, "Ada <ada@shop.test>',
    '<ada@shop.test',
    '<<ada@shop.test>>',
    '<ada@shop.test> x',
    '<ada @shop.test>',
    '<@a.test:ada@shop.test>',
    'ada@[127.0.0.1]',
    'ada@shop.test\\',
    'ada\u0001@shop.test',
    '\u212Aate@shop.test',
    `${'a'.repeat(9_000)} <ada@shop.test>`,
  ]
  for (const text of texts) assert.equal(readMailboxes(text), null, JSON.stringify(text))
})

test('a name that shows another address', () => {
  const shows = (text: string) => {
    const [mailbox] = readMailboxes(text) ?? []
    assert.ok(mailbox, text)
    return showsAnother(mailbox)
  }
  for (const name of [
    '"bob@bank.test"',
    '=?utf-8?q?bob=40bank.test?=',
    '"bob＠bank.test"',
    '"ada@shop.test bob@bank.test"',
  ]) {
    assert.equal(shows(`${name} <ada@shop.test>`), true, name)
  }
  for (const name of ['Ada', '"Ada@Shop.test"', `"'ada@shop.test'"`, ''])
    assert.equal(shows(`${name} <ada@shop.test>`), false, name)
})

test('an address with a card number in it is none', () => {
  assert.equal(readMailboxes('Ada <4111111111111111@shop.test>'), null)
  assert.equal(readMailboxes('4111-1111-1111-1111@shop.test'), null)
})

test('the address of an offer is one, whatever the digits of its id', () => {
  const address = 'payment-id-44769948-1806-4770-9de3-6fb78ab8b9f1@pay.example'
  assert.deepEqual(readMailboxes(address), [{ name: '', address }])
})

test('nothing keeps the reader busy', () => {
  for (const piece of ['"', '"\\"', 'a ', 'a@b.c,', '<', '\\', '"a"']) readMailboxes(piece.repeat(8_000 / piece.length))
})
