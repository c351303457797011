import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserName } from './browser-name.ts'

test('a browser is called what a person calls it, whoever else it claims to be', () => {
  const likeSafari = 'AppleWebKit/537.36 (KHTML, like Gecko)'
  for (const [userAgent, browser, system] of [
    [`Mozilla/5.0 (X11; Linux x86_64) ${likeSafari} Chrome/131.0.0.0 Safari/537.36`, 'Chrome', 'Linux'],
    [`Mozilla/5.0 (Windows NT 10.0) ${likeSafari} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0`, 'Edge', 'Windows'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:133.0) Gecko/20100101 Firefox/133.0', 'Firefox', 'macOS'],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${likeSafari} Version/18.1 Safari/604.1`,
      'Safari',
      'iPhone',
    ],
    [`Mozilla/5.0 (Linux; Android 14) ${likeSafari} Chrome/131.0.0.0 Mobile Safari/537.36`, 'Chrome', 'Android'],
  ] as const) {
    assert.deepEqual(browserName(userAgent), { browser, system })
  }
  assert.equal(browserName('curl/8.5.0'), null)
})
