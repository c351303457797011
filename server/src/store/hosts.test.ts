// What DATABASE_URL may say of several servers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachHost, hostNamed, wantsWrites } from './hosts.ts'

test('several servers in one URL are one URL each, as libpq reads them', () => {
  const cases: { readonly [url: string]: readonly string[] } = {
    'postgres://u:p@one:1,two:2/d?sslmode=verify-full': [
      'postgres://u:p@one:1/d?sslmode=verify-full',
      'postgres://u:p@two:2/d?sslmode=verify-full',
    ],
    'postgres://one,[::1]:5433/d': ['postgres://one/d', 'postgres://[::1]:5433/d'],
    'postgresql:///d?host=/run/a,/run/b&port=5,6&user=u': [
      'postgresql:///d?host=%2Frun%2Fa&port=5&user=u',
      'postgresql:///d?host=%2Frun%2Fb&port=6&user=u',
    ],
    'postgres:///d?host=a,b&port=5': ['postgres:///d?host=a&port=5', 'postgres:///d?host=b&port=5'],
    'postgres://u@one/d': ['postgres://u@one/d'],
    'no URL': ['no URL'],
    '': [''],
  }
  for (const [url, each] of Object.entries(cases)) assert.deepEqual(eachHost(url), each, url)
})

test('a server is named without its credentials', () => {
  const named = (url: string) => eachHost(url).map(hostNamed)
  assert.deepEqual(named('postgres://u:secret@one:1,two/d'), ['one:1', 'two'])
  assert.deepEqual(named('postgres:///d?host=/run/a&port=5&password=secret'), ['/run/a:5'])
})

test('only a server that takes writes may be asked for', () => {
  for (const target of ['read-write', 'primary'])
    assert.equal(wantsWrites(`postgres://a,b/d?target_session_attrs=${target}`), true)
  assert.equal(wantsWrites('postgres://a,b/d'), true)
  assert.equal(wantsWrites('postgres://a,b/d?x=1&target_session_attrs=standby'), false)
})
