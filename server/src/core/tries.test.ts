import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf, tryLimits } from './tries.ts'

test('an IPv6 address counts for its /64, however it is written', () => {
  const network = '2001:db8:0:7::/64'
  for (const address of [
    '2001:db8:0:7::1',
    '2001:0DB8:0000:0007:ffff:ffff:ffff:ffff',
    '2001:db8:0:7:1:2:3:4',
    '2001:db8:0:7::192.0.2.1',
    '2001:db8:0:7::1%eth0',
  ]) {
    assert.equal(networkOf(address), network, address)
  }
  assert.notEqual(networkOf('2001:db8:0:8::1'), network)
  assert.equal(networkOf('::1'), '0:0:0:0::/64')
  assert.equal(networkOf('2001:db8::'), '2001:db8:0:0::/64')
})

test('an IPv4 address counts for itself, also when it is written as IPv6', () => {
  assert.equal(networkOf('192.0.2.7'), '192.0.2.7')
  assert.equal(networkOf('::ffff:192.0.2.7'), '192.0.2.7')
  assert.equal(networkOf('::ffff:c000:207'), '192.0.2.7')
  assert.notEqual(networkOf('::ffff:192.0.2.8'), '192.0.2.7')
})

test('what is no address counts for itself', () => {
  for (const name of ['', 'unix', 'a:b', ']:[']) assert.equal(networkOf(name), name)
})

test('nothing is remembered for longer than the hour after which it is forgotten', () => {
  for (const { atOnce, perHour } of Object.values(tryLimits)) assert.ok(atOnce <= perHour)
})
