import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { SMTPServerSession } from 'smtp-server'
import { createSessions, type SmtpLimits } from './smtp-sessions.ts'

function openSessions(limits: Partial<SmtpLimits>, isCounted = (_: string) => true) {
  const sessions = createSessions({ limits, isCounted, ended: () => {} })
  const entered: SMTPServerSession[] = []
  after(() => entered.map(sessions.leave))
  /** What it is told; null: it is in. */
  const enter = (remoteAddress: string): string | null => {
    const session = { id: String(entered.length), remoteAddress } as SMTPServerSession
    entered.push(session)
    return sessions.enter(session)?.message ?? null
  }
  const enterAs = (addresses: readonly string[]) => addresses.filter(address => enter(address) === null).length
  return { enter, enterAs }
}

const addresses = (count: number, name: (at: number) => string) => Array.from({ length: count }, (_, at) => name(at))

test('an IPv6 /64 is one network, however many addresses it comes from', () => {
  const { enter, enterAs } = openSessions({})
  assert.equal(enterAs(addresses(200, at => `2001:db8:0:1::${at.toString(16)}`)), 20)
  assert.match(enter('2001:db8:0:1::ffff') ?? '', /^4\.7\.0 Too many connections from your network\./)
  assert.equal(enter('2001:db8:0:2::1'), null)
  assert.equal(enter('192.0.2.1'), null)
})

test('a network has as many as are free, so that a few together never take all', () => {
  const { enterAs } = openSessions({ connectionsMax: 100, connectionsPerNetworkMax: 100 })
  const ofNetwork = (at: number) => enterAs(addresses(100, () => `192.0.2.${at}`))
  assert.deepEqual([1, 2, 3].map(ofNetwork), [50, 25, 13])
})

test('what relays for everybody has no share', () => {
  const { enterAs } = openSessions(
    { connectionsMax: 100, connectionsPerNetworkMax: 90 },
    address => address !== '10.0.0.1',
  )
  assert.equal(enterAs(addresses(100, () => '10.0.0.1')), 90)
})
